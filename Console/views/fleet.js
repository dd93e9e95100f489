// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The list of vehicles. However long it is, only the rows in sight are drawn.

import { vehicleAddress } from "../model/address.js";
import { vehicleLimit } from "../model/fleet.js";
import { filters, Roster, sorts } from "../model/roster.js";
import { inSight } from "../model/window.js";
import { currentLanguage, decimal, text } from "../texts.js";
import { field, html, set, write } from "./elements.js";
import { date, sent } from "./when.js";

/** The time between two looks at how long ago vehicles were seen, in milliseconds. */
const minute = 60_000;
/** The number of vehicles from which the list can be searched. */
const many = 3;
/** The number of vehicles up to which each change is shown at once, and the time between two looks at more, in milliseconds. */
const few = 200;
const pace = 1_000;
const tones = { online: "good", parked: "rest" };

/** The word for a vehicle's state; without a connection it is the last known one. */
function presence({ state, isPresent }) {
    const word = text(`fleet.states.${state}`);
    return isPresent ? word : text("fleet.lastKnown", { word });
}

/** The number of codes in words. */
function codeWords({ picture, codes }) {
    if (picture.codes === undefined && !picture.isComplete) return text("fleet.awaited");
    return codes === undefined ? text("fleet.codesUnknown") : text("fleet.codes", { count: codes });
}

/** Whether the row tells when the vehicle was last seen: everything in it is from then. */
const isGone = ({ picture, isConnected }) => !isConnected || picture.availability !== "online";

/** The words for the warning lamp and the battery. Those of a vehicle that nobody observes now are the last known ones. */
export function lampAndBattery({ lamp, volts, isObserved, ...row }) {
    const voltage = volts === undefined ? "" : text("fleet.volts", { volts: decimal(volts, 1, true) });
    return {
        lamp: lamp === true ? text(isObserved ? "fleet.lamp" : "fleet.lampLast") : "",
        volts: isObserved || voltage === "" || isGone(row) ? voltage : text("fleet.last", { word: voltage }),
    };
}

/** What the list lacks, in sentences. */
export function gaps(fleet, loading) {
    const missing = fleet.isConnected && loading.step !== "vehicle" ? loading.missing : 0;
    const [count, isMany] = [fleet.leftOut.size, fleet.leftOut.size >= vehicleLimit];
    return [
        missing > 0 && text("fleet.loading", { count: missing }),
        loading.isCut && text("fleet.cut", { count: loading.count }),
        count > 0 && text(isMany ? "fleet.leftOutMany" : "fleet.leftOut", { limit: vehicleLimit, count }),
    ].filter(Boolean);
}

/** @param changed called with the wanted search, order and filter */
export function fleetView(changed) {
    const heading = html("h2", { id: "fleet-heading", tabindex: "-1" }, text("fleet.heading"));
    const lacking = html("p", { class: "notice", role: "status", hidden: true });
    const none = html("p", { class: "quiet" });
    const find = html("input", { type: "search", placeholder: text("fleet.searchHint"), autocapitalize: "none", spellcheck: "false", input: () => want() });
    const order = html("select", { change: () => want() }, sorts.map((name) => html("option", { value: name }, text(`fleet.sorts.${name}`))));
    const marks = filters.map((name) => html("button", { type: "button", "data-filter": name, click: () => want(name) }));
    const tools = html("form", { class: "finder", role: "search", "aria-labelledby": "fleet-heading", submit: (event) => event.preventDefault() },
        field(text("fleet.search"), find), field(text("fleet.sort"), order),
        html("div", { class: "marks", role: "group", "aria-label": text("fleet.show") }, marks));
    const rows = html("ul", { class: "vehicles", "aria-labelledby": "fleet-heading", "aria-describedby": "fleet-keys", keydown: (event) => move(event) });
    const scroller = html("div", { class: "rows" }, rows);
    const node = html("nav", { class: "fleet", "aria-labelledby": "fleet-heading" },
        html("div", { class: "line" }, heading), lacking, tools, none, html("p", { class: "unseen", id: "fleet-keys" }, text("fleet.keys")), scroller);
    const roster = new Roster((row) => [presence(row), row.lamp === true ? text("fleet.lamp") : ""].join(" "), currentLanguage());
    /** The drawn rows by name. */
    const drawn = new Map();
    let query = { search: "", sort: sorts[0], filter: filters[0] };
    let isConnected = false;
    let current;
    let now = 0;
    let looked = { content: undefined, at: -pace };
    let shown;
    let rowHeight = 60;
    let drawing;
    /** Where the page was scrolled to. */
    let scrolled = 0;

    /** The user wants another search, order or filter. */
    function want(filter = query.filter) {
        changed({ search: find.value, sort: order.value, filter });
    }

    /** Shows what the address, or the user, wants. */
    function show(wanted) {
        query = { search: wanted.search ?? "", sort: sorts.includes(wanted.sort) ? wanted.sort : sorts[0], filter: filters.includes(wanted.filter) ? wanted.filter : filters[0] };
        if (find.value !== query.search) find.value = query.search;
        order.value = query.sort;
        looked.content = undefined;
    }

    function row(name) {
        const parts = {
            title: html("strong"), dot: html("span", { class: "dot", "aria-hidden": "true" }), state: html("span"),
            codes: html("span"), lamp: html("span", { class: "warning" }), volts: html("span"), seen: html("span"),
        };
        parts.link = html("a", { href: vehicleAddress(name), tabindex: "-1" },
            html("span", { class: "line" }, parts.title, " ", html("span", { class: "pill" }, parts.dot, parts.state)),
            html("small", {}, parts.codes, " ", parts.lamp, " ", parts.volts, " ", parts.seen));
        parts.item = html("li", { "data-name": name }, parts.link);
        return parts;
    }

    function fill(parts, row) {
        const { picture, state, isPresent, isObserved, name, seen } = row;
        write(parts.title, name);
        parts.title.title = name;
        write(parts.state, presence({ state, isPresent }));
        parts.dot.dataset.tone = isPresent ? tones[state] ?? "off" : "off";
        write(parts.codes, codeWords(row));
        const facts = lampAndBattery(row);
        for (const name of ["lamp", "volts"]) {
            write(parts[name], facts[name]);
            parts[name].dataset.present = String(isObserved);
        }
        write(parts.seen, !isGone(row) ? "" : text("fleet.lastSeen", { when: sent(picture, seen, now) }));
    }

    /** Draws the rows that are in sight now, and the one that has the focus or can get it. */
    function draw() {
        drawing = undefined;
        const found = roster.rows;
        const [list, frame] = [rows.getBoundingClientRect(), scroller.getBoundingClientRect()];
        const top = Math.max(0, frame.top);
        const height = Math.min(window.innerHeight, frame.bottom) - top;
        const { first, end } = inSight({ count: found.length, rowHeight, top: top - list.top, height });
        const focused = rows.contains(document.activeElement) ? document.activeElement.closest("li").dataset.name : undefined;
        const places = new Map(found.map((entry, index) => [entry.name, index]));
        const entry = [focused, current, found[0]?.name].find((name) => places.has(name));
        const indices = new Set(Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index));
        if (entry !== undefined) indices.add(places.get(entry));
        const wanted = [...indices].sort((one, other) => one - other).map((index) => ({ index, row: found[index] }));
        const names = new Set(wanted.map(({ row: { name } }) => name));
        for (const [name, parts] of drawn) {
            if (names.has(name)) continue;
            parts.item.remove();
            drawn.delete(name);
        }
        let place = rows.firstElementChild;
        for (const { index, row: one } of wanted) {
            if (!drawn.has(one.name)) drawn.set(one.name, row(one.name));
            const parts = drawn.get(one.name);
            // Moving a node that is in its place already would take the focus away.
            if (place === parts.item) place = place.nextElementSibling;
            else rows.insertBefore(parts.item, place);
            const content = `${one.version} ${one.isConnected} ${Math.floor(now / minute)}`;
            if (parts.content !== content) fill(parts, one);
            parts.content = content;
            const position = `${index} ${found.length} ${rowHeight} ${one.name === current} ${one.name === entry}`;
            if (parts.position === position) continue;
            parts.position = position;
            parts.item.style.top = `${index * rowHeight}px`;
            set(parts.item, "aria-posinset", index + 1);
            set(parts.item, "aria-setsize", found.length);
            set(parts.link, "aria-current", one.name === current);
            parts.link.tabIndex = one.name === entry ? 0 : -1;
        }
        rows.style.height = `${found.length * rowHeight}px`;
        measure();
    }

    /** Takes the height of a row from the style sheet; it differs between the wide list and the narrow one. */
    function measure() {
        const height = rows.firstElementChild?.offsetHeight ?? 0;
        if (height <= 0 || height === rowHeight) return;
        rowHeight = height;
        draw();
    }

    const drawSoon = () => {
        if (node.offsetParent === null) return;
        // By itself the list has the whole page to scroll; a user who comes back finds it where it was.
        if (scroller.scrollHeight <= scroller.clientHeight + 1) scrolled = window.scrollY;
        drawing ??= requestAnimationFrame(draw);
    };
    // Scrolling does not bubble; the page scrolls, or the list by itself.
    document.addEventListener("scroll", drawSoon, { capture: true, passive: true });
    new ResizeObserver(drawSoon).observe(scroller);

    function update(fleet, chosen, time, loading) {
        [isConnected, current, now] = [fleet.isConnected, chosen, time];
        const content = `${fleet.version} ${isConnected} ${Math.floor(now / minute)}`;
        if (content !== looked.content && (looked.content === undefined || fleet.vehicles.size <= few || now - looked.at >= pace)) {
            looked = { content, at: now };
            roster.update(fleet.shown, isConnected, query, now);
        }
        const [count, total] = [roster.rows.length, roster.counts.all];
        const isSearched = query.search.trim() !== "" || query.filter !== filters[0];
        const isLoading = isConnected && loading.awaitsNames;
        write(heading, isSearched ? text("fleet.found", { count, total }) : total > 1 ? text("fleet.count", { count: total }) : text("fleet.heading"));
        const empty = total === 0 ? `${text("fleet.none")} ${text("fleet.noneHint", { prefix: fleet.prefix })}` : text("fleet.notFound");
        write(none, count > 0 || isLoading ? "" : empty);
        none.hidden = none.textContent === "";
        write(lacking, gaps(fleet, loading).join(" "));
        lacking.hidden = lacking.textContent === "";
        tools.hidden = total < many && !isSearched;
        for (const mark of marks) {
            const name = mark.dataset.filter;
            write(mark, `${text(`fleet.filters.${name}`)} ${decimal(roster.counts[name])}`);
            set(mark, "aria-pressed", query.filter === name);
        }
        if (shown?.rows !== roster.rows || shown.current !== current) draw();
        shown = { rows: roster.rows, current };
    }

    /** Shows the list where the user has left it, with the focus on the row of a vehicle if that is in sight; else on the heading. */
    function focus(name) {
        window.scrollTo(0, scrolled);
        draw();
        const index = roster.rows.findIndex((entry) => entry.name === name);
        const top = rows.getBoundingClientRect().top + index * rowHeight;
        if (index < 0 || top < 0 || top + rowHeight > window.innerHeight) return heading.focus({ preventScroll: true });
        reach(index);
    }

    function reach(index) {
        const name = roster.rows[index]?.name;
        if (name === undefined) return;
        if (!drawn.has(name)) {
            const parts = row(name);
            drawn.set(name, parts);
            fill(parts, roster.rows[index]);
            parts.item.style.top = `${index * rowHeight}px`;
            rows.append(parts.item);
        }
        const { link } = drawn.get(name);
        link.focus({ preventScroll: true });
        link.scrollIntoView({ block: "nearest" });
        draw();
    }

    function move(event) {
        const steps = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
        const at = roster.rows.findIndex((entry) => entry.name === event.target.closest("li")?.dataset.name);
        if (at < 0 || !Object.hasOwn(steps, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        reach(Math.min(roster.rows.length - 1, Math.max(0, at + steps[event.key])));
    }
    /** The list as a table for paper. */
    function sheet() {
        const columns = ["fleet.sorts.name", "fleet.sorts.state", "fleet.sorts.codes", "fleet.sorts.lamp", "fleet.sorts.battery", "fleet.sorts.seen"];
        return html("article", { class: "report" }, html("h1", {}, heading.textContent), html("p", { class: "printed" }, text("report.printed", { date: date(now) })),
            html("table", {}, html("thead", {}, html("tr", {}, columns.map((column) => html("th", { scope: "col" }, text(column))))),
                html("tbody", {}, roster.rows.map((one) => {
                    const facts = lampAndBattery(one);
                    return html("tr", {}, html("th", { scope: "row" }, one.name),
                        [presence(one), codeWords(one), facts.lamp, facts.volts, sent(one.picture, one.seen, now)].map((words) => html("td", {}, words)));
                }))));
    }
    return { node, update, show, focus, sheet };
}
