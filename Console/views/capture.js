// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The captures that have arrived: plots with the moment in the middle.

import { ended, half } from "../model/capture.js";
import { shown } from "../model/json.js";
import { plot } from "../model/plot.js";
import { captures as texts, files, values } from "../texts.en.js";
import { html, svg } from "./elements.js";
import { date } from "./when.js";

const height = 90;
const [left, top, right, bottom] = [48, 8, 8, 20];
/** The number of plots that are drawn; the file has all series. */
const plotLimit = 8;

export function captureView({ ask, save }) {
    const none = html("p", { class: "quiet" }, texts.none);
    const choice = html("select", { "aria-label": texts.choose, hidden: true, change: () => redraw() });
    const file = html("button", { type: "button", "aria-label": texts.csv, hidden: true, click: () => save(chosen()) }, files.button);
    const body = html("div", { class: "plots" });
    const node = html("section", { class: "card capture", "aria-labelledby": "capture-heading" },
        html("div", { class: "line" }, html("h3", { id: "capture-heading" }, texts.heading), choice,
            html("button", { type: "button", click: ask }, texts.ask), file),
        none, body);
    let list = [];
    let shownContent;

    const chosen = () => list.find((one) => one.id === choice.value) ?? list[0];

    function figure(found, series) {
        const span = half(found);
        const width = Math.max(120, (body.clientWidth || 480) - left - right);
        const { path, labels } = plot(ended(found, series), { from: -span, to: span, width, height });
        const name = values.series(series.name);
        const numbers = series.points.map((point) => point.value);
        const label = texts.describe(name, shown(Math.min(...numbers)), shown(Math.max(...numbers)));
        return html("figure", {}, html("figcaption", {}, html("h4", {}, name)),
            svg("svg", { class: "plot", height: top + height + bottom, role: "img", "aria-label": label },
                svg("g", { class: "grid" }, labels.flatMap(({ value, y }) => [
                    svg("line", { x1: left, x2: left + width, y1: top + y, y2: top + y }),
                    svg("text", { x: left - 6, y: top + y + 4, "text-anchor": "end" }, shown(value)),
                ])),
                svg("line", { class: "moment", x1: left + width / 2, x2: left + width / 2, y1: top, y2: top + height }),
                svg("g", { class: "times" }, [-1, 0, 1].map((part) => svg("text", {
                    x: left + (width * (part + 1)) / 2, y: top + height + 16,
                    "text-anchor": part < 0 ? "start" : part > 0 ? "end" : "middle",
                }, texts.seconds((span / 1000) * part)))),
                svg("g", { transform: `translate(${left} ${top})` }, svg("path", { class: "trace", fill: "none", d: path }))));
    }

    function redraw() {
        const found = chosen();
        if (!found) return body.replaceChildren();
        body.replaceChildren(
            html("p", {}, texts.happened(found, date(found.moment))),
            ...found.series.slice(0, plotLimit).map((series) => figure(found, series)),
            found.series.length > plotLimit && html("p", { class: "quiet" }, texts.more(found.series.length - plotLimit)) || "");
    }

    function update(picture) {
        const content = `${picture.name} ${picture.captures.map((one) => one.id).join()}`;
        if (content === shownContent) return;
        shownContent = content;
        const [newest, kept] = [list[0], chosen()];
        list = picture.captures;
        none.hidden = list.length > 0;
        choice.hidden = file.hidden = list.length === 0;
        choice.replaceChildren(...list.map((one) => html("option", { value: one.id }, texts.option(one, date(one.moment)))));
        // An older capture that arrives does not replace what is shown.
        if (list[0] === newest && list.includes(kept)) choice.value = kept.id;
        redraw();
    }
    return { node, update };
}
