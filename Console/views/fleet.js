// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The list of vehicles.

import { vehicleLimit } from "../model/fleet.js";
import { fleet as texts, lamp } from "../texts.en.js";
import { html, write } from "./elements.js";
import { ago } from "./when.js";

/** The time between two looks at how long ago vehicles were seen, in milliseconds. */
const minute = 60_000;

/** The word for a vehicle's state, and the name of its color; without a connection it is the last known one. */
function presence(picture, isConnected) {
    const { word, tone } = state(picture);
    const isPresent = isConnected && picture.isKnown("availability");
    return isPresent || picture.availability === undefined ? { word, tone } : { word: texts.lastKnown(word), tone: "off" };
}

function state(picture) {
    if (picture.availability === undefined) return { word: texts.unknown, tone: "off" };
    if (picture.availability === "offline") return { word: texts.offline, tone: "off" };
    if (picture.isParked === true) return { word: texts.parked, tone: "rest" };
    return { word: texts.online, tone: "good" };
}

/** What the list lacks, in sentences. */
export function gaps(fleet, loading) {
    const missing = fleet.isConnected ? loading.missing : 0;
    return [
        missing > 0 && texts.loading(missing),
        loading.isCut && texts.cut(loading.count),
        fleet.leftOut.size > 0 && texts.leftOut(vehicleLimit, fleet.leftOut.size, fleet.leftOut.size >= vehicleLimit),
    ].filter(Boolean);
}

export function fleetView(select) {
    const list = html("ul", { class: "vehicles" });
    const none = html("p", { class: "quiet" });
    const lacking = html("p", { class: "notice", role: "status", hidden: true });
    const heading = html("h2", { id: "fleet-heading", tabindex: "-1" }, texts.heading);
    const rows = new Map();
    const node = html("nav", { class: "fleet", "aria-labelledby": "fleet-heading" }, heading, lacking, none, list);

    function row(name) {
        const parts = { title: html("strong"), dot: html("span", { class: "dot", "aria-hidden": "true" }), state: html("span"), more: html("small") };
        parts.button = html("button", { type: "button", click: () => select(name) },
            html("span", { class: "line" }, parts.title, html("span", { class: "pill" }, parts.dot, parts.state)), parts.more);
        parts.item = html("li", {}, parts.button);
        return parts;
    }

    function fill(parts, picture, isConnected, now) {
        const { word, tone } = presence(picture, isConnected);
        write(parts.title, picture.name);
        write(parts.state, word);
        parts.dot.dataset.tone = tone;
        const isOnline = isConnected && picture.availability === "online";
        const lastSeen = isOnline ? undefined : texts.lastSeen(ago(picture.lastSeen, now));
        const isAwaited = picture.codes === undefined && !picture.isComplete;
        const codes = isAwaited ? texts.awaited : texts.codes(picture.codeCount);
        write(parts.more, [codes, picture.mil === true ? lamp.on.toLowerCase() : undefined, lastSeen].filter(Boolean).join(" · "));
    }

    function update(fleet, shown, current, now, loading) {
        const isLoading = fleet.isConnected && loading.step === "names";
        write(heading, shown.length > 1 ? texts.count(shown.length) : texts.heading);
        write(none, shown.length > 0 || isLoading ? "" : `${texts.none} ${texts.noneHint(fleet.prefix)}`);
        none.hidden = none.textContent === "";
        write(lacking, gaps(fleet, loading).join(" "));
        lacking.hidden = lacking.textContent === "";
        const names = new Set(shown.map((picture) => picture.name));
        for (const [name, parts] of rows) {
            if (!names.has(name)) {
                parts.item.remove();
                rows.delete(name);
            }
        }
        let place = list.firstElementChild;
        for (const picture of shown) {
            if (!rows.has(picture.name)) rows.set(picture.name, row(picture.name));
            const parts = rows.get(picture.name);
            // Moving a node that is in its place already would take the focus away.
            if (place === parts.item) place = place.nextElementSibling;
            else list.insertBefore(parts.item, place);
            const content = `${picture.version} ${fleet.isConnected} ${Math.floor(now / minute)}`;
            if (parts.content !== content) fill(parts, picture, fleet.isConnected, now);
            parts.content = content;
            const mark = picture.name === current ? "true" : "false";
            if (parts.mark !== mark) parts.button.setAttribute("aria-current", mark);
            parts.mark = mark;
        }
    }

    /** Moves the focus to a vehicle, or to the list. */
    function focus(name) {
        const target = rows.get(name)?.button ?? heading;
        target.focus();
        target.scrollIntoView({ block: "center" });
    }
    return { node, update, focus };
}
