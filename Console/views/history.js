// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The plots of chosen parameters on one time axis, with their limits and what happened meanwhile.

import { freshness } from "../model/age.js";
import { marks, TimeAxis } from "../model/axis.js";
import { Boost, boostOrder } from "../model/boost.js";
import * as csv from "../model/csv.js";
import { emptyLimit } from "../model/earlier.js";
import { moments } from "../model/moments.js";
import { lacksInflation } from "../model/telemetry.js";
import { thresholds } from "../model/thresholds.js";
import { converted, units } from "../model/units.js";
import { gauge } from "../model/values.js";
import { choices, text, word } from "../texts.js";
import { chart, swatch } from "./chart.js";
import { html, write } from "./elements.js";
import { digits, inWords } from "./reading.js";
import { clock, minute, since } from "./when.js";

/** The time around a moment that is shown when the user goes to it, in milliseconds. */
const around = 60_000;

/** @param actions `plots`, `choices`, `picture()`, `now()`, `draw()`, `send(command, arguments)` and `download(what, text)` of the page */
export function historyView({ plots, choices: kept, picture: present, now: clockNow, draw, send, download }) {
    const minutes = choices("history.windows");
    const axis = new TimeAxis(Number(kept.one("window", minutes.map(([value]) => value))) * 60_000);
    const boost = new Boost();
    const captions = new Map();
    let revealed;
    let focused;
    let version;
    let shownMoments;
    let labels = [];
    let isAsking = false;

    function bounds() {
        const picture = present();
        const latest = picture?.end(clockNow()) ?? clockNow();
        const starts = plots.series.map((series) => picture?.histories.get(series)).filter((one) => one?.length > 0).map((one) => one.at(0));
        return { earliest: Math.min(latest, ...starts), latest };
    }

    const choice = html("select", { "aria-label": text("history.window"), change: () => choice.value !== "" && show(choice.value) },
        html("option", { value: "", hidden: true }, text("history.zoomed")), minutes.map(([value, label]) => html("option", { value }, label)));
    const file = html("button", { type: "button", class: "small", "aria-label": text("history.csv"), click: save }, text("files.button"));
    const faster = html("button", { type: "button", title: text("history.boostHint"), click: ask }, text("history.boost"));
    const lasting = html("span", { role: "status", class: "quiet" });
    const before = html("button", { type: "button", title: text("history.earlierHint"), click: fetchEarlier }, text("history.earlier"));
    const none = html("p", { class: "quiet" }, text("history.none"));
    const happened = html("ul", { class: "moments", "aria-label": text("history.moments") });
    const stack = chart({
        axis, bounds, label: text("chart.axis"),
        words: {
            time: clock,
            marks: (from, to, width) => {
                const { times, isFine } = marks(from, to, width);
                return times.map((at) => ({ at, label: isFine ? clock(at) : minute(at) }));
            },
        },
        home: { label: text("history.live"), act: () => axis.follow(), isThere: () => axis.isFollowing && axis.cross === undefined },
        changed: () => { mark(); draw(); },
    });
    const node = html("section", { class: "card history", "aria-labelledby": "history-heading" },
        html("div", { class: "line" }, html("h3", { id: "history-heading", tabindex: "-1" }, text("history.heading")), choice, stack.tools, file),
        html("div", { class: "actions" }, faster, before, lasting),
        none, stack.node, happened, html("p", { class: "quiet keys" }, text("chart.keys")));

    function show(value) {
        kept.keep("window", value);
        axis.show(Number(value) * 60_000);
        draw();
    }

    /** Shows in the choice of the time which one is shown. */
    function mark() {
        const value = String(axis.span / 60_000);
        choice.value = minutes.some(([one]) => one === value) ? value : "";
    }

    function save() {
        const { from, to } = axis.range(bounds());
        download("history", csv.histories(present(), plots.series, from, to));
    }

    async function ask() {
        const order = boostOrder(plots.series);
        const vehicle = present()?.name;
        if (!order || vehicle === undefined) return;
        const over = await send("boost", order);
        if (over?.state !== "succeeded" || present()?.name !== vehicle) return;
        boost.receive(over.answer.result, clockNow());
        draw();
    }

    /** Has the vehicle send its records of the time before again; passes over epochs without any. */
    async function fetchEarlier() {
        const picture = present();
        isAsking = before.disabled = true;
        for (let step = 0; step <= emptyLimit; step += 1) {
            const order = picture?.earlier.next(picture.status);
            if (!order) break;
            const over = await send("resend", order);
            if (over?.state !== "succeeded" || picture.earlier.received(order, over.answer.result) || present() !== picture) break;
        }
        isAsking = false;
        draw();
    }

    /** The legend of a row, with what can be done to it. */
    function caption(group, picture) {
        const entries = group.map((series, index) => {
            const name = word.title(series);
            const reading = html("span", { class: "reading" });
            const node = html("li", { class: "entry" }, swatch(index), html("h4", {}, name), reading, html("span", { class: "tools" },
                group.length > 1 && html("button", { type: "button", class: "small", "aria-label": text("history.split", { name }), title: text("history.split", { name }),
                    click: () => { focused = series; plots.move(series); draw(); } }, "⇵"),
                html("button", { type: "button", class: "small", "aria-label": text("history.remove", { name }), click: () => { plots.toggle(series); draw(); } }, "✕")));
            return { series, name, reading, node, now: "" };
        });
        const add = html("select", { class: "overlay", "aria-label": text("history.overlayOn", { name: word.title(group[0]) }), change: () => {
            if (add.value === "") return;
            focused = add.value;
            plots.move(add.value, group[0]);
            draw();
        } });
        const names = [...picture.histories.keys()].filter((one) => picture.parameters.has(one) && !group.includes(one));
        add.append(html("option", { value: "" }, text("history.overlay")), ...names.map((one) => [word.title(one), one]).sort().map(([title, one]) => html("option", { value: one }, title)));
        return { entries, add, count: picture.histories.size, node: html("figcaption", { class: "legend" }, html("ul", {}, entries.map((one) => one.node)), add) };
    }

    function limitText(line, unit) {
        const found = converted(line.value, unit, units());
        const what = line.name ? word.title(line.name) : text(`history.degrees.${line.degree}`);
        return `${what} ${line.sign} ${Number(found.value.toPrecision(4))}`;
    }

    function row(group, picture, now) {
        const key = group.join(" ");
        const old = captions.get(key);
        const isSame = old && (old.count === picture.histories.size || old.node.contains(document.activeElement));
        const found = isSame ? old : caption(group, picture);
        captions.set(key, found);
        if (old && !isSame) old.node.replaceWith(found.node);
        const series = found.entries.map((entry, index) => {
            const reading = picture.parameters.get(entry.series);
            const history = picture.histories.get(entry.series);
            const words = word.parameter(entry.series.split("/")[0]);
            const { state, age } = reading ? freshness(picture, entry.series, reading, now) : {};
            const old = state === undefined || state === "live" ? undefined : state === "late" ? since(age, now) : text("values.lastAge", { age: since(age, now) });
            entry.now = reading ? [inWords(entry.series, { value: reading.value, unit: reading.unit }), old].filter(Boolean).join(" · ") : "";
            entry.state = state ?? "";
            const limits = gauge(words, reading?.unit)?.range;
            return {
                name: entry.series, title: entry.name, history, unit: reading?.unit, color: index, least: limits ? (limits[1] - limits[0]) / 8 : 0,
                lines: thresholds(picture, entry.series, words, reading?.unit).map((line) => ({ ...line, label: limitText(line, reading?.unit) })),
                tell(at) {
                    entry.reading.dataset.age = at === undefined ? entry.state : "";
                    write(entry.reading, at ?? entry.now);
                },
            };
        }).filter((one) => one.history);
        return { key, caption: found.node, series };
    }

    function update(picture, now) {
        if (version !== plots.version) {
            version = plots.version;
            if (plots.isChosen) kept.keep("series", plots.groups.map((group) => group.join(" ")));
            const keys = new Set(plots.groups.map((group) => group.join(" ")));
            for (const key of captions.keys()) if (!keys.has(key)) captions.delete(key);
        }
        none.hidden = plots.groups.length > 0;
        faster.disabled = plots.groups.length === 0;
        file.disabled = plots.groups.length === 0;
        before.disabled = isAsking || picture.earlier.isOver || picture.status?.acknowledged === undefined;
        if (!picture.isObserved) boost.clear();
        const until = boost.until(plots.series, now);
        write(lasting, [
            until && text("history.boosted", { until: clock(until.end) }),
            until && boost.left.length > 0 && text("history.notBoosted", { names: boost.left.map((name) => word.title(name)).join(", ") }),
            picture.earlier.isOver && text("history.earlierOver"),
            lacksInflation() && text("history.packed"),
        ].filter(Boolean).join(" "));
        list(moments(picture));
        stack.draw(plots.groups.map((group) => row(group, picture, now)), labels);
        mark();
        if (focused !== undefined) {
            captions.get(plots.groups.find((group) => group.includes(focused))?.join(" "))?.add.focus();
            focused = undefined;
        }
        if (revealed === undefined) return;
        const group = plots.groups.find((one) => one.includes(revealed));
        const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
        if (group) stack.figure(group.join(" "))?.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
        revealed = undefined;
    }

    const momentText = ({ kind, code, ecu }) => (code !== undefined ? text("captures.code", { code, ecu: ecu ?? "" }) : word.term(`capture.${kind}`) ?? word.spoken(kind));

    /** The moments as buttons, which show the time around them. */
    function list(found) {
        const content = JSON.stringify(found);
        if (content === shownMoments) return;
        shownMoments = content;
        labels = found.map((one) => ({ at: one.at, label: `${clock(one.at)} ${momentText(one)}` }));
        happened.hidden = found.length === 0;
        happened.replaceChildren(...found.map((one, index) => html("li", {}, html("button", { type: "button", class: "small", click: () => {
            axis.choose(one.at - around, one.at + around / 2, bounds());
            axis.cross = one.at;
            stack.pin();
            draw();
        } }, labels[index].label))));
    }

    /** Scrolls to the plot of a series as soon as it is drawn. */
    function reveal(series) {
        revealed = series;
    }

    function reset() {
        boost.clear();
        axis.follow();
        captions.clear();
        stack.draw([]);
    }
    return { node, update, reset, reveal };
}
