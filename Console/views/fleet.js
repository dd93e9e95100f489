// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The list of vehicles.

import { fleet as texts, lamp } from "../texts.en.js";
import { html, write } from "./elements.js";
import { ago } from "./when.js";

/** The word for a vehicle's state, and the name of its color. */
export function presence(picture) {
    if (picture.availability === undefined) return { word: texts.unknown, tone: "off" };
    if (picture.availability === "offline") return { word: texts.offline, tone: "off" };
    if (picture.isParked === true) return { word: texts.parked, tone: "rest" };
    return { word: texts.online, tone: "good" };
}

export function fleetView(select) {
    const list = html("ul", { class: "vehicles" });
    const none = html("p", { class: "quiet" });
    const rows = new Map();
    const node = html("nav", { class: "fleet", "aria-labelledby": "fleet-heading" },
        html("h2", { id: "fleet-heading" }, texts.heading), none, list);

    function row(name) {
        const parts = { title: html("strong"), dot: html("span", { class: "dot", "aria-hidden": "true" }), state: html("span"), more: html("small") };
        parts.button = html("button", { type: "button", click: () => select(name) },
            html("span", { class: "line" }, parts.title, html("span", { class: "pill" }, parts.dot, parts.state)), parts.more);
        parts.item = html("li", {}, parts.button);
        return parts;
    }

    function update(fleet, current, now) {
        const shown = fleet.shown;
        write(none, shown.length === 0 ? `${texts.none} ${texts.noneHint(fleet.prefix)}` : "");
        none.hidden = shown.length > 0;
        const names = new Set(shown.map((picture) => picture.name));
        for (const [name, parts] of rows) {
            if (!names.has(name)) {
                parts.item.remove();
                rows.delete(name);
            }
        }
        shown.forEach((picture, index) => {
            if (!rows.has(picture.name)) rows.set(picture.name, row(picture.name));
            const parts = rows.get(picture.name);
            // Moving a node that is in its place already would take the focus away.
            if (list.children[index] !== parts.item) list.insertBefore(parts.item, list.children[index] ?? null);
            const { word, tone } = presence(picture);
            write(parts.title, picture.name);
            write(parts.state, word);
            parts.dot.dataset.tone = tone;
            const lastSeen = picture.availability === "online" ? undefined : texts.lastSeen(ago(picture.lastSeen, now));
            const facts = [texts.codes(picture.codeCount), picture.mil === true ? lamp.on.toLowerCase() : undefined, lastSeen];
            write(parts.more, facts.filter(Boolean).join(" · "));
            parts.button.setAttribute("aria-current", picture.name === current ? "true" : "false");
        });
    }
    return { node, update };
}
