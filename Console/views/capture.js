// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The captures that have arrived: plots with the moment in the middle, on an axis that counts from it.

import { around, TimeAxis } from "../model/axis.js";
import { ended, half } from "../model/capture.js";
import * as csv from "../model/csv.js";
import { History } from "../model/history.js";
import { thresholds } from "../model/thresholds.js";
import { text, word } from "../texts.js";
import { chart, swatch } from "./chart.js";
import { html, write } from "./elements.js";
import { date } from "./when.js";

/** The number of plots that are drawn at first. */
const plotLimit = 6;

/** What began a capture, in words. */
export const what = (one) => (one.code !== undefined ? text("captures.code", { code: one.code, ecu: one.ecu ?? "" }) : one.condition ?? named(one));
const named = (one) => word.term(`capture.${one.trigger}`) ?? word.spoken(one.trigger);

/** @param actions `picture()`, `draw()`, `send(command)` and `download(what, text)` of the page */
export function captureView({ picture: present, draw, send, download }) {
    const none = html("p", { class: "quiet" }, text("captures.none"));
    const choice = html("select", { "aria-label": text("captures.choose"), hidden: true, change: () => redraw() });
    const file = html("button", { type: "button", class: "small", "aria-label": text("captures.csv"), hidden: true,
        click: () => chosen() && download("capture", csv.captured(present(), chosen())) }, text("files.button"));
    const sentence = html("p", { role: "status" });
    const axis = new TimeAxis(60_000);
    const seconds = (at) => text("captures.seconds", { seconds: `${at > 0 ? "+" : ""}${Number((at / 1000).toFixed(1))}` });
    const stack = chart({
        axis, label: text("captures.axis"),
        bounds: () => ({ earliest: -span, latest: span }),
        words: { time: seconds, marks: (from, to, width) => around(from, to, width).map((at) => ({ at, label: seconds(at) })) },
        home: { label: text("captures.whole"), act: () => whole(), isThere: () => axis.span === 2 * span && axis.cross === undefined },
        changed: draw,
    });
    const more = html("select", { "aria-label": text("captures.add"), change: () => { added.add(more.value); redraw(); } });
    const node = html("section", { class: "card capture", "aria-labelledby": "capture-heading" },
        html("div", { class: "line" }, html("h3", { id: "capture-heading", tabindex: "-1" }, text("captures.heading")), choice, stack.tools, file),
        html("div", { class: "actions" }, html("button", { type: "button", click: () => send("capture") }, text("captures.ask"))),
        none, sentence, stack.node, more);
    const added = new Set();
    let list = [];
    let [span, shownID, shownContent] = [30_000, undefined, undefined];

    const chosen = () => list.find((one) => one.id === choice.value) ?? list[0];

    function whole() {
        axis.span = 2 * span;
        axis.follow();
    }

    function row(series, found, picture) {
        const title = word.title(series.name);
        const words = word.parameter(series.name.split("/")[0]);
        // Captures are metric.
        const unit = words?.unit ?? picture.parameters.get(series.name)?.unit;
        const reading = html("span", { class: "reading" });
        return {
            key: `${found.id} ${series.name}`,
            caption: html("figcaption", { class: "legend" }, html("ul", {}, html("li", { class: "entry" }, swatch(0), html("h4", {}, title), reading))),
            series: [{
                name: series.name, title, unit, color: 0, least: 0, history: History.of(ended(found, series)),
                lines: thresholds(picture, series.name, words, unit).map((line) => ({ ...line, label: line.name ? word.title(line.name) : text(`history.degrees.${line.degree}`) })),
                tell: (at) => write(reading, at ?? ""),
            }],
        };
    }

    function redraw() {
        const [found, picture] = [chosen(), present()];
        stack.tools.hidden = more.hidden = !found;
        if (!found || !picture) {
            write(sentence, "");
            return stack.draw([]);
        }
        if (found.id !== shownID) {
            shownID = found.id;
            span = half(found);
            added.clear();
            whole();
        }
        const end = found.ended === "complete" ? undefined : word.term(`ending.${found.ended}`);
        write(sentence, text("captures.happened", {
            moment: date(found.moment), what: what(found),
            clock: found.isCertain ? "" : text("captures.uncertain"), end: end ? text("captures.ended", { why: end }) : "",
        }));
        const drawn = found.series.filter((one, index) => index < plotLimit || added.has(one.name));
        stack.draw(drawn.map((series) => row(series, found, picture)), [{ at: 0, label: what(found) }]);
        const left = found.series.filter((one) => !drawn.includes(one));
        more.hidden = left.length === 0;
        more.replaceChildren(html("option", { value: "" }, text("captures.more", { count: left.length })), ...left.map((one) => html("option", { value: one.name }, word.title(one.name))));
    }

    function update(picture) {
        const content = `${picture.name} ${picture.captures.map((one) => one.id).join()}`;
        if (content === shownContent) return;
        shownContent = content;
        const [newest, kept] = [list[0], chosen()];
        list = picture.captures;
        none.hidden = list.length > 0;
        choice.hidden = file.hidden = list.length === 0;
        choice.replaceChildren(...list.map((one) => html("option", { value: one.id },
            text("captures.option", { moment: date(one.moment), what: one.code ?? named(one) }))));
        // An older capture that arrives does not replace what is shown.
        if (list[0] === newest && list.includes(kept)) choice.value = kept.id;
        redraw();
    }
    return { node, update };
}
