// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Plots above each other with one time axis: it is moved and zoomed by mouse, touch and keyboard, and has a crosshair.
//
// The axis is a slider, so that screen readers tell the values at the crosshair. Each plot has its values as a table, too.

import { apart } from "../model/apart.js";
import { axes, summary, trace } from "../model/plot.js";
import { converted, unitIn, units } from "../model/units.js";
import { decimal, text, word } from "../texts.js";
import { html, set, svg, write } from "./elements.js";
import { gestures } from "./gestures.js";
import { digits } from "./reading.js";

const [left, top, narrow, wide] = [52, 8, 10, 52];
const height = 120;
/** The height of a label of a limit. */
const lineHeight = 13;
/** The least time between two drawings of what only goes on, in milliseconds. */
const pace = 1000;
/** The longest time until new values are drawn in a plot whose pixels are long times. */
const slowest = 5000;

/** The samples of the lines, for the legend. */
export const swatch = (index) => svg("svg", { class: "swatch", width: 22, height: 8, "aria-hidden": "true" },
    svg("path", { class: `sample line-${index}`, d: "M1 4H21" }));

/**
 * A stack of plots.
 *
 * @param axis the time axis
 * @param bounds gives the times at which the data begin and end
 * @param words `time(at)` in words, and `marks(from, to, width)`, the labels of the axis as `{ at, label }`
 * @param label the name of the axis
 * @param home shows what the button for it promises
 * @param changed called when the user has moved the axis
 * @returns `draw(rows, moments)`: a row has a `key`, `title`, `caption` (a node) and `series`, each `{ name, title, history,
 *     unit, color, least, lines }`; a moment is `{ at, label }`
 */
export function chart({ axis, bounds, words, label, home, changed }) {
    const ticks = svg("g", { class: "times" });
    const flag = svg("text", { class: "flag", y: 12 });
    const face = svg("svg", { class: "ruler-face", height: 34, "aria-hidden": "true" }, ticks, flag);
    const ruler = html("div", { class: "ruler", role: "slider", tabindex: "0", "aria-label": label,
        "aria-valuemin": "0", "aria-valuemax": "1000", "aria-valuenow": "1000", keydown: (event) => pressed(event) }, face);
    const button = (key, symbol, act) => html("button", { type: "button", class: "small", "aria-label": text(`chart.${key}`), title: text(`chart.${key}`),
        click: () => { act(); moved(); } }, symbol);
    const back = html("button", { type: "button", class: "small", click: () => { home.act(); isPinned = false; moved(); } }, home.label);
    const tools = html("div", { class: "tools", role: "group", "aria-label": label },
        button("earlier", "‹", () => axis.pan(-0.5, bounds())), button("later", "›", () => axis.pan(0.5, bounds())),
        button("zoomOut", "−", () => axis.zoom(2, anchor(), bounds())), button("zoomIn", "+", () => axis.zoom(0.5, anchor(), bounds())), back);
    const plots = html("div", { class: "plots stack" });
    const node = html("div", { class: "chart" }, ruler, plots);
    const shownRows = new Map();
    let [rows, moments, width, right, frame, isPinned] = [[], [], 0, narrow, undefined, false];
    /** Where the mouse is while the crosshair follows it. */
    let hover;
    let drawnTicks = "";

    /** The part of the axis that stays where it is while the user zooms by button or key. */
    function anchor() {
        const { from, to } = axis.range(bounds());
        if (axis.cross !== undefined && axis.cross >= from && axis.cross <= to) return (axis.cross - from) / (to - from);
        return axis.isFollowing ? 1 : 0.5;
    }

    new ResizeObserver(() => {
        // Measured here, because that costs a layout elsewhere.
        width = node.clientWidth;
        paint();
    }).observe(node);

    /** The user has moved the axis or the crosshair. */
    function moved() {
        frame ??= requestAnimationFrame(() => {
            frame = undefined;
            paint();
            changed();
        });
    }

    function pressed(event) {
        const acts = {
            ArrowLeft: () => (event.shiftKey ? axis.pan(-0.25, bounds()) : cross(-0.01)), ArrowRight: () => (event.shiftKey ? axis.pan(0.25, bounds()) : cross(0.01)),
            PageUp: () => cross(0.1), PageDown: () => cross(-0.1), Home: () => jump(false), End: () => jump(true),
            "+": () => axis.zoom(0.5, anchor(), bounds()), "=": () => axis.zoom(0.5, anchor(), bounds()), "-": () => axis.zoom(2, anchor(), bounds()),
            Escape: () => { home.act(); isPinned = false; },
        };
        if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(acts, event.key)) return;
        event.preventDefault();
        acts[event.key]();
        moved();
    }
    const cross = (part) => { isPinned = true; axis.move(part, bounds()); };
    const jump = (toLatest) => { isPinned = true; axis.jump(toLatest, bounds()); };

    /** The part of what is shown below a pointer; undefined outside. */
    function part(x) {
        const inside = x - plots.getBoundingClientRect().left - left;
        return Math.min(1, Math.max(0, inside / plotWidth()));
    }
    const plotWidth = () => Math.max(80, width - left - right);
    gestures(plots, { axis, bounds, part, moved, width: plotWidth, isPinned: () => isPinned, pin: (isOn) => { isPinned = isOn; }, hover: (x) => { hover = x; } });

    function make(row) {
        const parts = { grid: svg("g", { class: "grid" }), limits: svg("g", { class: "limit-lines" }), lines: svg("g"), moments: svg("g"), title: html("h4") };
        parts.cross = svg("line", { class: "cross", y1: 0, y2: height });
        parts.dots = svg("g");
        parts.picture = svg("svg", { class: "plot", height: top + height + top, role: "img" }, parts.grid,
            svg("g", { transform: `translate(${left} ${top})` }, parts.limits, parts.lines, parts.moments, parts.cross, parts.dots));
        parts.bodies = html("div");
        parts.table = html("details", { toggle: () => { parts.drawn = undefined; paint(); } }, html("summary", {}, text("history.table")), parts.bodies);
        parts.node = html("figure", {}, row.caption, parts.picture, parts.table);
        return parts;
    }

    /** Draws a row, if anything of it has changed. */
    function paintRow(parts, row, { from, to }, inner) {
        const content = [from, to, inner, right, units(), parts.table.open, moments.map((one) => one.at).join(),
            ...row.series.map((one) => [one.name, one.title, one.unit, one.color, one.history.version, JSON.stringify(one.lines ?? [])].join())].join("|");
        if (parts.drawn === content) return;
        // Values that only go on are drawn once they can be seen.
        const isNew = parts.drawn === undefined || parts.from !== from || parts.to !== to || parts.series !== row.series.length || parts.inner !== inner;
        if (!isNew && performance.now() - parts.paintedAt < Math.min(slowest, Math.max(pace, (to - from) / inner))) return;
        Object.assign(parts, { drawn: content, from, to, inner, series: row.series.length, paintedAt: performance.now() });
        parts.scales = axes(row.series, { from, to, height, units: units() });
        const known = [...parts.scales.values()].filter((entry) => entry.labels);
        parts.grid.replaceChildren(...known.slice(0, 2).flatMap((entry, index) => entry.labels.flatMap(({ value, y: at }) => [
            index === 0 && svg("line", { x1: left, x2: left + inner, y1: top + at, y2: top + at }),
            svg("text", { x: index === 0 ? left - 6 : left + inner + 6, y: top + at + 4, "text-anchor": index === 0 ? "end" : "start" }, decimal(value, 4)),
        ])).filter(Boolean), ...tickTimes.map(({ x }) => svg("line", { class: "upright", x1: left + x, x2: left + x, y1: top, y2: top + height })));
        const hasArea = row.series.length === 1;
        parts.lines.replaceChildren(...row.series.flatMap((one) => {
            const entry = parts.scales.get(one.unit ?? "");
            if (!entry.labels) return [];
            const { path, area } = trace(one.history, { from, to, width: inner, height, low: entry.low, high: entry.high, hasArea });
            return [hasArea && svg("path", { class: `area line-${one.color}`, d: area }), svg("path", { class: `trace line-${one.color}`, fill: "none", d: path })].filter(Boolean);
        }));
        const lines = row.series.flatMap((one) => {
            const entry = parts.scales.get(one.unit ?? "");
            const inside = entry.labels ? (one.lines ?? []).filter((line) => line.value >= entry.low && line.value <= entry.high) : [];
            return inside.map((line) => ({ ...line, y: entry.y(line.value) }));
        });
        const places = apart(lines.map((line) => line.y + (line.sign.startsWith("<") ? 13 : -4)), lineHeight, [lineHeight - top, height]);
        parts.limits.replaceChildren(...lines.flatMap((line, index) => [
            svg("line", { class: "limit-line", "data-degree": line.degree ?? "danger", x1: 0, x2: inner, y1: line.y, y2: line.y }),
            svg("text", { x: inner - 4, y: places[index], "text-anchor": "end" }, line.label),
        ]));
        const x = (at) => Math.round(((at - from) / (to - from)) * inner * 10) / 10;
        parts.moments.replaceChildren(...moments.filter((one) => one.at >= from && one.at <= to).map((one) =>
            svg("g", {}, svg("title", {}, one.label), svg("line", { class: "moment", x1: x(one.at), x2: x(one.at), y1: 0, y2: height }))));
        parts.picture.setAttribute("aria-label", row.series.map((one) => described(one, from, to)).join("; "));
        if (parts.table.open) parts.bodies.replaceChildren(...row.series.map((one) => table(one, from, to)));
    }

    const value = (number, one) => `${digits(converted(number, one.unit, units()).value, one.name)} ${word.unit(unitIn(one.unit, units()) ?? "")}`.trim();
    function described(one, from, to) {
        const extent = one.history.extent(from, to);
        if (!extent) return text("chart.empty", { name: one.title });
        return text("chart.describe", { name: one.title, low: value(extent.low, one), high: value(extent.high, one), last: value(extent.last, one) });
    }

    function table(one, from, to) {
        const columns = ["time", "lowest", "highest", "last"];
        return html("table", {}, html("caption", {}, [one.title, word.unit(unitIn(one.unit, units()))].filter(Boolean).join(", ")),
            html("thead", {}, html("tr", {}, columns.map((column) => html("th", { scope: "col" }, text(`history.columns.${column}`))))),
            html("tbody", {}, summary(one.history, { from, to }).reverse().map((row) => html("tr", {}, html("th", { scope: "row" }, words.time(row.start)),
                [row.lowest, row.highest, row.last].map((number) => html("td", {}, digits(converted(number, one.unit, units()).value, one.name)))))));
    }

    let tickTimes = [];
    /** Draws what has changed. */
    function paint() {
        if (width < 100 || rows.length === 0) return;
        right = rows.some((row) => new Set(row.series.map((one) => one.unit ?? "")).size > 1) ? wide : narrow;
        const inner = plotWidth();
        let { from, to } = axis.range(bounds());
        if (axis.isFollowing) {
            // Goes on in steps that can be seen.
            const step = Math.max(pace, axis.span / inner);
            to = Math.ceil(to / step) * step;
            from = to - axis.span;
        }
        if (hover !== undefined && !isPinned) axis.cross = from + part(hover) * (to - from);
        const content = `${from} ${to} ${inner}`;
        if (content !== drawnTicks) {
            drawnTicks = content;
            const x = (at) => Math.round(((at - from) / (to - from)) * inner * 10) / 10;
            tickTimes = words.marks(from, to, inner).map(({ at, label: name }) => ({ x: x(at), name }));
            ticks.replaceChildren(...tickTimes.map(({ x: at, name }) => svg("text", { x: left + at, y: 29, "text-anchor": at > inner - 22 ? "end" : "middle" }, name)));
        }
        for (const row of rows) paintRow(shownRows.get(row.key), row, { from, to }, inner);
        paintCross(from, to, inner);
        back.disabled = home.isThere();
    }

    /** Draws the crosshair, and tells the values at it. */
    function paintCross(from, to, inner) {
        const at = axis.cross >= from && axis.cross <= to ? axis.cross : undefined;
        const x = at === undefined ? -1000 : Math.round(((at - from) / (to - from)) * inner * 10) / 10;
        const told = [];
        for (const row of rows) {
            const parts = shownRows.get(row.key);
            set(parts.cross, "x1", x);
            set(parts.cross, "x2", x);
            const dots = [];
            for (const one of row.series) {
                const number = at === undefined ? undefined : one.history.known(at);
                const entry = parts.scales?.get(one.unit ?? "");
                if (number !== undefined && entry?.labels) dots.push(svg("circle", { class: `dot-on line-${one.color}`, cx: x, cy: entry.y(number), r: 4 }));
                const words = at === undefined ? undefined : number === undefined ? text("chart.gap") : value(number, one);
                one.tell?.(words);
                if (words !== undefined) told.push(`${one.title} ${words}`);
            }
            parts.dots.replaceChildren(...dots);
        }
        write(flag, at === undefined ? "" : words.time(at));
        set(flag, "x", Math.min(left + inner - 34, Math.max(34, left + x)));
        set(ruler, "aria-valuenow", at === undefined ? 1000 : Math.round(((at - from) / (to - from)) * 1000));
        const span = text("chart.span", { from: words.time(from), to: words.time(to) });
        const valueText = at === undefined ? span : `${words.time(at)}: ${told.join("; ")}`;
        // While nobody reads it, the text need not follow the time.
        if (at !== undefined || document.activeElement === ruler || !ruler.hasAttribute("aria-valuetext")) {
            set(ruler, "aria-valuetext", valueText);
        }
    }

    function draw(newRows, newMoments = []) {
        [rows, moments] = [newRows, newMoments];
        const keys = new Set(rows.map((row) => row.key));
        for (const [key, parts] of shownRows) {
            if (keys.has(key)) continue;
            parts.node.remove();
            shownRows.delete(key);
        }
        rows.forEach((row, index) => {
            if (!shownRows.has(row.key)) shownRows.set(row.key, make(row));
            const parts = shownRows.get(row.key);
            if (plots.children[index] !== parts.node) plots.insertBefore(parts.node, plots.children[index] ?? null);
        });
        ruler.hidden = rows.length === 0;
        paint();
    }

    /** The figure of a row; undefined if it is not there. */
    const figure = (key) => shownRows.get(key)?.node;
    return { node, tools, draw, figure, pin: () => { isPinned = true; } };
}
