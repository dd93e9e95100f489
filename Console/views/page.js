// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// One vehicle: its name and state, and its parts; in columns where there is room, otherwise one at a time.

import { vehicleAddress } from "../model/address.js";
import { take } from "../model/units.js";
import { columns, parts } from "../parts.js";
import { text, word } from "../texts.js";
import { html, write } from "./elements.js";
import { guarded } from "./guarded.js";
import { headerView } from "./header.js";

/** @param isNarrow the media query of a page with room for one part */
export function pageView(actions, isNarrow) {
    const header = guarded(headerView({ wake: () => actions.send("wake", { duration: 300 }), print: () => window.print() }));
    const nav = html("nav", { class: "tabs", "aria-label": text("parts.heading") });
    const waiting = html("p", { class: "notice", role: "status", hidden: true });
    const made = new Map(parts.map(([name, title, make]) => {
        const views = make(actions);
        const link = html("a", {}, text(title));
        const section = html("div", { class: "part", "data-part": name }, views.map((view) => view.node));
        nav.append(link);
        return [name, { name, views, link, section }];
    }));
    const sides = columns.map((names) => ({ names, column: html("div", { class: "column" }, names.map((name) => made.get(name).section)) }));
    const body = html("div", { class: "columns" }, sides.map(({ column }) => column));
    const node = html("div", { class: "page", hidden: true }, header.node, nav, waiting, body);
    let current = parts[0][0];
    let vehicle;
    /** Whether the address names the part. */
    let isAsked = false;
    let hidden = new Set();

    const isShown = (name) => (isNarrow.matches ? name === current : !hidden.has(name));

    /** Shows a vehicle, and goes to one of its parts if there is such a part. */
    function show(name, part) {
        if (name !== vehicle || (made.has(part) ? part : parts[0][0]) !== current) actions.log.dismiss();
        if (name !== vehicle) for (const { views } of made.values()) for (const view of views) view.reset?.();
        vehicle = name;
        isAsked = made.has(part);
        current = isAsked ? part : parts[0][0];
        for (const { name: one, link } of made.values()) link.setAttribute("href", vehicleAddress(vehicle, one));
        arrange();
        const { link } = made.get(current);
        if (isNarrow.matches) nav.scrollLeft = link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
        else if (isAsked) made.get(current).section.scrollIntoView({ block: "start" });
    }

    /** Forgets what the user has begun to write, and the vehicle. */
    function forget() {
        for (const { views } of made.values()) for (const view of views) view.forget?.();
    }

    function arrange() {
        for (const { name, section, link } of made.values()) {
            // A part that the address names is shown, also if the user has left it out.
            section.hidden = !isShown(name) && !(isAsked && name === current);
            link.hidden = section.hidden && !isNarrow.matches;
            if (name === current && (isAsked || isNarrow.matches)) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        }
        for (const { names, column } of sides) column.hidden = names.every((name) => made.get(name).section.hidden);
    }

    /** Leaves out parts, where there is room for more than one. */
    function hide(names) {
        hidden = new Set(names);
        arrange();
    }

    /** Shows the plot of a series as soon as it is drawn. */
    function reveal(series) {
        for (const { views } of made.values()) for (const view of views) view.reveal?.(series);
    }

    /** @param isComplete whether all vehicles are known, so that one without a picture has published nothing */
    function update(picture, now, isComplete) {
        body.hidden = picture === undefined;
        waiting.hidden = picture !== undefined || !isComplete;
        // The way back to the list stays; a vehicle that is not there has no parts.
        header.node.dataset.known = String(picture !== undefined);
        nav.hidden = !waiting.hidden;
        write(waiting, waiting.hidden ? "" : text("page.none"));
        if (picture === undefined) return;
        take(picture.parameters, word.parameter);
        header.update(picture, now);
        for (const { section, views } of made.values()) if (!section.hidden) for (const view of views) view.update(picture, now);
    }

    isNarrow.addEventListener("change", () => {
        arrange();
        actions.draw();
    });
    return { node, show, forget, hide, reveal, update, header, names: [...made.keys()] };
}
