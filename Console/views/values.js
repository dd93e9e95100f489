// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The newest values: a tile for each, in groups; some with a gauge.

import { freshness } from "../model/age.js";
import { number } from "../model/json.js";
import { arc, fraction } from "../model/plot.js";
import { units } from "../model/units.js";
import { arranged, gauge, known, passed, searchFrom } from "../model/values.js";
import { breakable, text, word } from "../texts.js";
import { html, set, svg, watcher, write } from "./elements.js";
import { reading } from "./reading.js";
import { since } from "./when.js";

const radius = 40;
const marked = ["charging", "plugged_in", "ready"];

/** The name of a group of values; none for the most wanted ones. */
const groupTitle = (name) => (name === "first" ? undefined : name === "traction_battery" ? text("values.battery") : word.group(name));

export function valuesView({ plot, save }) {
    const find = html("input", { type: "search", "aria-label": text("values.find"), placeholder: text("values.find"), input: () => refresh?.() });
    const marks = html("span", { class: "tags" });
    const none = html("p", { class: "quiet" }, text("values.none"));
    const unfound = html("p", { class: "quiet", role: "status" });
    const place = html("div", { class: "groups" });
    const node = html("section", { class: "card values", "aria-labelledby": "values-heading" },
        html("div", { class: "line" },
            html("h3", { id: "values-heading", tabindex: "-1" }, text("values.heading")), find,
            html("button", { type: "button", class: "small", "aria-label": text("values.csv"), click: save }, text("files.button"))),
        none, unfound, place);
    const tiles = new Map();
    const groups = new Map();
    const isNew = watcher();
    let order = [];
    let refresh;

    function tile(series) {
        const parts = { value: html("strong"), unit: html("span", { class: "unit" }), hint: html("small", { class: "age" }), isNew: watcher() };
        parts.needle = svg("path", { class: "needle", fill: "none" });
        parts.gauge = svg("svg", { class: "gauge", viewBox: "-48 -48 96 74", "aria-hidden": "true" },
            svg("path", { class: "track", fill: "none", d: arc(1, radius) }), parts.needle);
        parts.button = html("button", { type: "button", class: "small", "aria-pressed": "false", click: () => plot(series) }, "∿");
        parts.face = html("div", { class: "face" }, parts.gauge, html("p", { class: "reading" }, parts.value, " ", parts.unit));
        parts.title = html("h4");
        parts.node = html("article", { class: "tile" }, parts.title, parts.face, html("div", { class: "foot" }, parts.hint, parts.button));
        return parts;
    }

    /** Writes the title of a tile. The vehicle's own titles may arrive after the value. */
    function entitle(parts, series) {
        const name = word.title(series);
        if (parts.title.textContent === breakable(name)) return;
        write(parts.title, breakable(name));
        parts.button.setAttribute("aria-label", text("values.plot", { name }));
    }

    function show(parts, series, picture, isPlotted, now) {
        const item = picture.parameters.get(series);
        const { state, age } = freshness(picture, series, item, now);
        const aged = state === "live" ? "" : text(state === "late" ? "values.lateAge" : "values.lastAge", { age: since(age, now) });
        if (!parts.isNew(item, state, aged, isPlotted, units(), picture.monitors?.ignition, picture.histories.has(series))) return;
        const shown = reading(series, item);
        write(parts.value, shown.text);
        write(parts.unit, shown.unit);
        const value = number(item.value);
        const isNumber = value !== undefined && item.label === undefined;
        parts.node.classList.toggle("wordy", !isNumber);
        parts.node.dataset.age = state;
        showGauge(parts, series, picture, { item, state, aged, isNumber });
        parts.button.hidden = !picture.histories.has(series);
        set(parts.button, "aria-pressed", isPlotted);
    }

    function showGauge(parts, series, picture, { item, state, aged, isNumber }) {
        const isDiesel = picture.monitors?.ignition === "compression";
        const found = isNumber ? gauge(word.parameter(known(series, picture)), item.unit, { isDiesel }) : undefined;
        parts.face.classList.toggle("round", found !== undefined);
        parts.gauge.classList.toggle("hidden", found === undefined);
        if (found) set(parts.needle, "d", arc(Math.max(0.004, fraction(item.value, found.range)), radius));
        const limit = state === "live" && found ? passed(item.value, found) : undefined;
        parts.node.dataset.limit = limit?.degree ?? "";
        const at = limit && reading(series, { value: limit.limit, unit: item.unit });
        write(parts.hint, limit ? text(limit.isAbove ? "values.above" : "values.below", { limit: `${at.text} ${at.unit}` }) : aged);
    }

    function group(name) {
        const title = groupTitle(name);
        const id = `group-${name}`;
        const body = html("div", { class: name === "traction_battery" ? "pack" : "tiles" });
        const made = html("section", { class: "group", "data-group": name, "aria-labelledby": title && id },
            title && html("div", { class: "line" }, html("h4", { id, class: "title" }, title), name === "traction_battery" && marks), body);
        return { node: made, body };
    }

    /** Arranges the tiles anew, if there are others, or if the user looks for something. */
    function arrange(picture) {
        const search = find.value;
        if (!isNew(picture, [...picture.parameters.keys()].join(), picture.vehicle, search)) return;
        order = arranged(picture, word, search);
        for (const [series, parts] of tiles) {
            if (picture.parameters.has(series)) continue;
            parts.node.remove();
            tiles.delete(series);
        }
        for (const { name } of order) if (!groups.has(name)) groups.set(name, group(name));
        const wanted = order.map(({ name, series }) => {
            for (const one of series) {
                if (!tiles.has(one)) tiles.set(one, tile(one));
                entitle(tiles.get(one), one);
            }
            put(groups.get(name).body, series.map((one) => tiles.get(one).node));
            return groups.get(name).node;
        });
        put(place, wanted);
        none.hidden = picture.parameters.size > 0;
        find.hidden = picture.parameters.size < searchFrom;
        write(unfound, order.length === 0 && picture.parameters.size > 0 ? text("values.notFound") : "");
    }

    /** Makes these the children, in this order, and moves only those that are elsewhere. */
    function put(parent, children) {
        children.forEach((child, index) => {
            if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
        });
        while (parent.children.length > children.length) parent.lastElementChild.remove();
    }

    function update(picture, plotted, now) {
        refresh = () => update(picture, plotted, now);
        arrange(picture);
        mark(picture, now);
        for (const { series } of order) for (const one of series) show(tiles.get(one), one, picture, plotted.has(one), now);
    }

    /** Marks whether the traction battery is charged, and the like. */
    function mark(picture, now) {
        const isLive = (role) => picture.named(role).some((name) => freshness(picture, name, picture.parameters.get(name), now).state === "live");
        const words = marked.filter((role) => picture.truth(role) !== undefined).map((role) => {
            const said = text(`values.states.${role}.${picture.truth(role)}`);
            return isLive(role) ? { said, isTrue: picture.truth(role) } : { said: text("fleet.lastKnown", { word: said }), isTrue: false };
        });
        if (marks.textContent === words.map(({ said }) => said).join("")) return;
        marks.replaceChildren(...words.map(({ said, isTrue }) => html("span", { class: "tag", "data-true": String(isTrue) }, said)));
    }

    function reset() {
        find.value = "";
        place.replaceChildren();
        tiles.clear();
        groups.clear();
        order = [];
    }
    return { node, update, reset };
}
