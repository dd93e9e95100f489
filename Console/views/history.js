// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The plots of chosen parameters, each with its values as a table.

import { freshness } from "../model/age.js";
import { shown } from "../model/json.js";
import { plot, range, summary } from "../model/plot.js";
import { files, history as texts, values } from "../texts.en.js";
import { html, svg, write } from "./elements.js";
import { clock, since } from "./when.js";

const height = 140;
const [left, top, right, bottom] = [48, 8, 8, 20];

export function historyView({ remove, save, changed }) {
    const none = html("p", { class: "quiet" }, texts.none);
    const plots = html("div", { class: "plots" });
    const choice = html("select", { "aria-label": texts.window, change: () => changed() },
        texts.windows.map(([minutes, label]) => html("option", { value: minutes }, label)));
    const node = html("section", { class: "card history", "aria-labelledby": "history-heading" },
        html("div", { class: "line" },
            html("h3", { id: "history-heading" }, texts.heading), choice,
            html("button", { type: "button", "aria-label": texts.csv, click: save }, files.button)),
        none, plots);
    const shownPlots = new Map();
    let revealed;

    const minutes = () => Number(choice.value);

    function make(series) {
        const name = values.series(series);
        const parts = { name, caption: html("p", { class: "reading" }), body: html("tbody") };
        parts.area = svg("path", { class: "area" });
        parts.line = svg("path", { class: "trace", fill: "none" });
        parts.dot = svg("circle", { class: "end", r: 4 });
        parts.grid = svg("g", { class: "grid" });
        parts.times = svg("g", { class: "times" });
        parts.picture = svg("svg", { class: "plot", height: top + height + bottom, role: "img" },
            parts.grid, parts.times, svg("g", { transform: `translate(${left} ${top})` }, parts.area, parts.line, parts.dot));
        parts.table = html("details", { toggle: () => changed() }, html("summary", {}, texts.table),
            html("table", {},
                html("thead", {}, html("tr", {}, texts.columns.map((title) => html("th", { scope: "col" }, title)))), parts.body));
        parts.node = html("figure", {},
            html("figcaption", { class: "line" }, html("h4", {}, name), parts.caption,
                html("button", { type: "button", class: "small", "aria-label": texts.remove(name), click: () => remove(series) }, "✕")),
            parts.picture, parts.table);
        return parts;
    }

    function draw(parts, series, picture, to, now) {
        const from = to - minutes() * 60_000;
        const reading = picture.parameters.get(series);
        const points = picture.histories.get(series)?.since(from) ?? [];
        const width = Math.max(120, parts.picture.clientWidth - left - right);
        const limits = range(series.split("/")[0], reading?.unit, { isDiesel: picture.monitors?.ignition === "compression" });
        const least = limits ? (limits[1] - limits[0]) / 8 : 0;
        const { path, area, labels, last } = plot(points, { from, to, width, height, least });
        parts.line.setAttribute("d", path);
        parts.area.setAttribute("d", area);
        parts.dot.setAttribute("cx", last?.x ?? -100);
        parts.dot.setAttribute("cy", last?.y ?? -100);
        parts.grid.replaceChildren(...labels.flatMap(({ value, y }) => [
            svg("line", { x1: left, x2: left + width, y1: top + y, y2: top + y }),
            svg("text", { x: left - 6, y: top + y + 4, "text-anchor": "end" }, shown(value)),
        ]));
        parts.times.replaceChildren(...[1, 0.5, 0].map((part) => svg("text", {
            x: left + width * (1 - part), y: top + height + 16,
            "text-anchor": part === 1 ? "start" : part === 0 ? "end" : "middle",
        }, texts.ago(minutes() * part))));
        const unit = reading?.unit ?? "";
        const numbers = points.map((point) => point.value);
        const newest = numbers[numbers.length - 1];
        const { state, age } = reading ? freshness(picture, series, reading, now) : {};
        const old = state === undefined || state === "live" ? undefined : values.ages[state](since(age, now));
        parts.caption.dataset.age = state ?? "";
        write(parts.caption, newest === undefined ? "" : [`${shown(newest)} ${unit}`, old].filter(Boolean).join(" · "));
        const words = numbers.length === 0 ? parts.name
            : texts.describe(parts.name, unit, shown(Math.min(...numbers)), shown(Math.max(...numbers)), shown(newest), old);
        parts.picture.setAttribute("aria-label", words);
        if (!parts.table.open) return;
        parts.body.replaceChildren(...summary(points, { from, to }).reverse().map(({ start, lowest, highest, last: end }) =>
            html("tr", {}, html("th", { scope: "row" }, clock(start)), [lowest, highest, end].map((value) => html("td", {}, shown(value))))));
    }

    function update(picture, plotted, now) {
        none.hidden = plotted.size > 0;
        for (const [series, parts] of shownPlots) {
            if (!plotted.has(series)) {
                parts.node.remove();
                shownPlots.delete(series);
            }
        }
        if (!plotted.has(revealed)) revealed = undefined;
        const to = picture.end(now);
        for (const series of plotted) {
            if (!shownPlots.has(series)) {
                shownPlots.set(series, make(series));
                plots.append(shownPlots.get(series).node);
            }
            draw(shownPlots.get(series), series, picture, to, now);
        }
        if (revealed === undefined) return;
        const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
        shownPlots.get(revealed).node.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
        revealed = undefined;
    }

    /** Scrolls to the plot of a series as soon as it is drawn. */
    function reveal(series) {
        revealed = series;
    }

    function reset() {
        plots.replaceChildren();
        shownPlots.clear();
    }
    return { node, update, reset, reveal, minutes };
}
