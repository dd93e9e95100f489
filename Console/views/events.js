// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The events of the vehicle, the newest first, and the choice of those that notify.

import { kinds } from "../model/notices.js";
import { converted, units } from "../model/units.js";
import { decimal, optional, text, word } from "../texts.js";
import { stateWord } from "./codes.js";
import { html, watcher, write } from "./elements.js";
import { age, date } from "./when.js";

/** The number of events that are shown at first, and with each click. */
const step = 25;

function inUnits(value, unit) {
    const found = converted(value, unit, units());
    return `${decimal(found.value, 1)} ${found.unit}`;
}

/** An event in a sentence. */
export function eventWords(event) {
    const minutes = event.duration === undefined ? undefined : Math.round(event.duration / 60);
    const known = {
        ...event,
        ecu: event.ecu ?? "?",
        title: event.name && word.title(event.name),
        volts: event.voltage === undefined ? "?" : decimal(event.voltage, 1, true),
        span: minutes === undefined ? undefined : text("events.minutes", { count: minutes }),
        way: event.distance === undefined ? undefined : inUnits(event.distance, "km"),
        power: event.energy === undefined ? undefined : `${decimal(event.energy, 1)} kWh`,
        soc: event.charge === undefined ? undefined : `${decimal(event.charge, 0)} %`,
    };
    const sentence = optional(`events.kinds.${event.kind}`, { code: known.code ?? "?", ecu: known.ecu, title: known.title ?? "?", volts: known.volts });
    const details = [
        event.description && word.meaning(event.description), event.states.length > 0 && event.states.map(stateWord).join(", "),
        event.trigger && (word.term(`capture.${event.trigger}`) ?? word.spoken(event.trigger)), event.when, event.reason, known.span, known.way, known.power, known.soc, event.other, event.finding?.slice(0, 200),
        event.missing && text("events.missing", { from: String(event.missing[0]), to: String(event.missing[1]), stream: event.stream ?? "?" }),
    ].filter(Boolean);
    return { title: sentence ?? word.phrase("event", event.kind), details: details.join(" · ") };
}

/**
 * @param list gives the events of a vehicle
 * @param earlier asks for earlier events, and resolves once they are queued
 * @param notify `state()`: `off`, `on`, `denied` or `unavailable`; `kinds()`: the chosen ones; `switch(isOn)`, `choose(kind, isWanted)`
 */
export function eventsView({ list: eventsOf, canAsk, earlier, notify }) {
    const none = html("p", { class: "quiet" }, text("events.none"));
    const list = html("ul", { class: "list events" });
    const more = html("button", { type: "button", click: () => { size += step; isNew(); refresh?.(); } }, text("events.more"));
    const ask = html("button", { type: "button", click: earlier }, text("events.earlier"));
    const toggle = html("input", { type: "checkbox", id: "notify", change: () => notify.switch(toggle.checked).then(show) });
    const state = html("p", { class: "quiet", role: "status" });
    const boxes = new Map(kinds.map((kind) => {
        const box = html("input", { type: "checkbox", id: `notify-${kind}`, change: () => notify.choose(kind, box.checked) });
        return [kind, box];
    }));
    const wanted = html("fieldset", {}, html("legend", {}, text("events.notifyKinds")),
        kinds.map((kind) => html("p", { class: "check" }, boxes.get(kind), html("label", { for: `notify-${kind}` }, word.phrase("event", kind)))));
    const node = html("section", { class: "card", "aria-labelledby": "events-heading" },
        html("div", { class: "line" }, html("h3", { id: "events-heading", tabindex: "-1" }, text("events.heading")), ask),
        none, list, more,
        html("div", { class: "notify" }, html("p", { class: "check" }, toggle, html("label", { for: "notify" }, text("events.switch"))), state, wanted));
    const isNew = watcher();
    let size = step;
    let refresh;

    function show() {
        const now = notify.state();
        toggle.checked = now === "on";
        toggle.disabled = now === "unavailable";
        wanted.hidden = now !== "on";
        write(state, text(`events.states.${now}`));
        for (const [kind, box] of boxes) box.checked = notify.kinds().has(kind);
    }
    show();

    function item(event, now, end) {
        const { title, details } = eventWords(event);
        const isDated = event.isCertain;
        return html("li", { "data-tone": event.tone, "data-kind": event.kind },
            html("p", { class: "line" }, html("strong", {}, title),
                html("small", { title: date(event.time) }, isDated ? [...new Set([date(event.time), age(event.time, true, end)])].join(" · ") : text("events.uncertain", { date: date(event.time) }))),
            details && html("small", {}, details));
    }

    function update(picture, now) {
        refresh = () => update(picture, now);
        const found = eventsOf(picture.name);
        ask.disabled = !canAsk(picture);
        // Ages are in minutes here.
        if (!isNew(picture, found, Math.floor(now / 60_000), size, units())) return;
        none.hidden = found.length > 0;
        more.hidden = found.length <= size;
        list.replaceChildren(...found.slice(0, size).map((event) => item(event, now, picture.end(now))));
    }

    function reset() { size = step; }
    return { node, update, reset };
}
