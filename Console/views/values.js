// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The newest values: a tile for each, some with a gauge.

import { freshness } from "../model/age.js";
import { number, shown } from "../model/json.js";
import { arc, fraction, range } from "../model/plot.js";
import { files, fleet, values as texts } from "../texts.en.js";
import { html, svg, write } from "./elements.js";
import { since } from "./when.js";

const radius = 40;
const first = ["vehicle_speed", "engine_speed", "coolant_temperature", "engine_load", "fuel_level", "control_module_voltage"];

export function valuesView({ plot, save }) {
    const tiles = html("div", { class: "tiles" });
    const battery = html("div", { class: "pack" });
    const marks = html("span", { class: "tags" });
    const group = html("div", {}, html("div", { class: "line" }, html("h4", {}, texts.battery), marks), battery);
    const none = html("p", { class: "quiet" }, texts.none);
    const node = html("section", { class: "card values", "aria-labelledby": "values-heading" },
        html("div", { class: "line" },
            html("h3", { id: "values-heading" }, texts.heading),
            html("button", { type: "button", "aria-label": texts.csv, click: save }, files.button)),
        none, group, tiles);
    const shownTiles = new Map();

    function tile(series) {
        const name = texts.series(series);
        const parts = { value: html("strong"), unit: html("span", { class: "unit" }), hint: html("small", { class: "age" }) };
        parts.needle = svg("path", { class: "needle", fill: "none" });
        parts.gauge = svg("svg", { class: "gauge", viewBox: "-48 -48 96 74", "aria-hidden": "true" },
            svg("path", { class: "track", fill: "none", d: arc(1, radius) }), parts.needle);
        parts.button = html("button", { type: "button", class: "small", "aria-pressed": "false", "aria-label": texts.plot(name), click: () => plot(series) }, "∿");
        parts.face = html("div", { class: "face" }, parts.gauge, html("p", { class: "reading" }, parts.value, " ", parts.unit));
        parts.node = html("article", { class: "tile" },
            html("div", { class: "line" }, html("h4", {}, name), parts.button), parts.face, parts.hint);
        return parts;
    }

    function show(parts, series, reading, picture, isPlotted, now) {
        const value = number(reading.value);
        write(parts.value, reading.label ?? shown(reading.value));
        write(parts.unit, reading.unit ?? "");
        parts.node.classList.toggle("wordy", value === undefined || reading.label !== undefined);
        const { state, age } = freshness(picture, series, reading, now);
        write(parts.hint, state === "live" ? "" : texts.ages[state](since(age, now)));
        parts.node.dataset.age = state;
        const isDiesel = picture.monitors?.ignition === "compression";
        const limits = value === undefined ? undefined : range(gauge(series, picture), reading.unit, { isDiesel });
        parts.face.classList.toggle("round", limits !== undefined);
        parts.gauge.classList.toggle("hidden", limits === undefined);
        if (limits) parts.needle.setAttribute("d", arc(Math.max(0.004, fraction(value, limits)), radius));
        parts.button.hidden = !picture.histories.has(series);
        parts.button.setAttribute("aria-pressed", String(isPlotted));
    }

    /** The name of the gauge: a manufacturer's value with a role is shown as the standard's. */
    const gauge = (series, picture) => {
        const role = picture.role(series);
        return first.includes(role) ? role : series.split("/")[0];
    };

    // The most wanted parameters come first, then those with a gauge, and last those that other ECUs repeat.
    const rank = (series, reading, picture) => {
        if (series.includes("/")) return 102;
        const place = first.indexOf(gauge(series, picture));
        return place >= 0 ? place : range(series, reading.unit) ? 100 : 101;
    };

    function update(picture, plotted, now) {
        const order = [...picture.parameters].sort(([one, reading], [other, second]) =>
            rank(one, reading, picture) - rank(other, second, picture) || (one < other ? -1 : 1));
        none.hidden = order.length > 0;
        const names = picture.battery;
        group.hidden = names.length === 0;
        mark(picture, now);
        for (const [series, parts] of shownTiles) {
            if (!picture.parameters.has(series)) {
                parts.node.remove();
                shownTiles.delete(series);
            }
        }
        fill(battery, names.map((name) => [name, picture.parameters.get(name)]), picture, plotted, now);
        fill(tiles, order.filter(([series]) => !names.includes(series)), picture, plotted, now);
    }

    function fill(place, order, picture, plotted, now) {
        order.forEach(([series, reading], index) => {
            if (!shownTiles.has(series)) shownTiles.set(series, tile(series));
            const parts = shownTiles.get(series);
            if (place.children[index] !== parts.node) place.insertBefore(parts.node, place.children[index] ?? null);
            show(parts, series, reading, picture, plotted.has(series), now);
        });
    }

    /** Marks whether the traction battery is charged, and the like. */
    function mark(picture, now) {
        const isLive = (role) => picture.named(role).some((name) => freshness(picture, name, picture.parameters.get(name), now).state === "live");
        const words = Object.entries(texts.states).filter(([role]) => picture.truth(role) !== undefined)
            .map(([role, states]) => ({ word: states[picture.truth(role) ? 0 : 1], isTrue: picture.truth(role), isLive: isLive(role) }))
            .map(({ word, isTrue, isLive }) => (isLive ? { word, isTrue } : { word: fleet.lastKnown(word), isTrue: false }));
        if (marks.textContent === words.map(({ word }) => word).join("")) return;
        marks.replaceChildren(...words.map(({ word, isTrue }) => html("span", { class: "tag", "data-true": String(isTrue) }, word)));
    }

    function reset() {
        tiles.replaceChildren();
        battery.replaceChildren();
        shownTiles.clear();
    }
    return { node, update, reset };
}
