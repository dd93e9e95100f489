// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The results of the on-board tests, and in-use performance.

import { time } from "../model/json.js";
import { performance, tests } from "../model/tests.js";
import { decimal, optional, text, word } from "../texts.js";
import { ecuTitle } from "./codes.js";
import { html, watcher, write } from "./elements.js";
import { monitorName } from "./readiness.js";
import { sent } from "./when.js";

/** The number of rows up to which passed tests are shown without being asked for. */
const few = 12;

/** The tested component and the measured quantity, or the numbers of the test. */
export function testTitle({ subject, quantity, monitor, test, component }) {
    const number = component !== undefined ? text("tests.component", { component: String(component), test }) : text("tests.number", { number: [monitor, test].filter(Boolean).join("/") });
    const what = [subject && subject.charAt(0).toUpperCase() + subject.slice(1), quantity].filter(Boolean).join(": ");
    return { what: what || number, number: what ? number : "" };
}

const plain = (value) => (value === undefined ? "" : decimal(value, 4));
export const verdictWord = (verdict) => (verdict === undefined ? text("tests.verdicts.constant") : optional(`tests.verdicts.${verdict}`) ?? verdict);

/** A table of results. */
export function testTable(results, vehicle) {
    return html("table", { class: "results" },
        html("thead", {}, html("tr", {}, ["test", "value", "limits", "verdict"].map((column) => html("th", { scope: "col" }, text(`tests.columns.${column}`))))),
        html("tbody", {}, results.map((one) => {
            const { what, number } = testTitle(one);
            const limits = one.minimum === undefined && one.maximum === undefined ? "" : [plain(one.minimum), plain(one.maximum)].join(" … ");
            return html("tr", { "data-verdict": one.verdict },
                html("th", { scope: "row" }, what, html("small", {}, " ", [ecuTitle(vehicle, one.ecu), number].filter(Boolean).join(" · "))),
                html("td", {}, [plain(one.value), one.value !== undefined && one.unit && word.unit(one.unit)].filter(Boolean).join(" ")),
                html("td", {}, limits),
                html("td", {}, html("span", { class: "tag", "data-verdict": one.verdict }, verdictWord(one.verdict))));
        })));
}

/** The counts of verdicts in words. */
export const testCounts = ({ counts }) => ["failed", "unknown", "passed", "not_run"].filter((verdict) => counts[verdict] > 0 || verdict === "failed")
    .map((verdict) => text(`tests.counts.${verdict}`, { count: counts[verdict] })).join(", ");

/** The sentences about results that are missing. */
export const testDoubts = ({ lacking }, vehicle) => lacking.map(({ ecu, state }) => text(`tests.lacking.${state}`, { ecu: ecuTitle(vehicle, ecu) }));

export function testsView({ read }) {
    const body = html("div");
    const asOf = html("p", { class: "quiet" });
    const node = html("section", { class: "card tests", "aria-labelledby": "tests-heading" },
        html("div", { class: "line" },
            html("h3", { id: "tests-heading", tabindex: "-1" }, text("tests.heading")),
            html("button", { type: "button", click: read, "aria-label": text("tests.read") }, text("tests.readShort"))),
        body);
    const isNew = watcher();

    function update(picture, now) {
        write(asOf, text("codes.asOf", { when: sent(picture, time(picture.monitors?.tests?.time), now) }));
        if (!isNew(picture, picture.monitors, picture.vehicle)) return;
        const found = tests(picture.monitors);
        if (!found) return body.replaceChildren(html("p", { class: "quiet" }, text("tests.none")));
        const isOpen = body.querySelector("details")?.open === true;
        const hasFocus = body.contains(document.activeElement);
        const isGood = (one) => one.verdict === "passed" || one.verdict === "not_run";
        const bad = found.results.length <= few ? found.results : found.results.filter((one) => !isGood(one));
        const good = found.results.filter((one) => !bad.includes(one));
        body.replaceChildren(...[
            html("p", { class: found.counts.failed > 0 ? "warning" : "fine" }, testCounts(found)),
            ...testDoubts(found, picture.vehicle).map((sentence) => html("p", { class: "warning" }, sentence)),
            bad.length > 0 && testTable(bad, picture.vehicle),
            good.length > 0 && html("details", { open: isOpen }, html("summary", {}, text("tests.others", { count: good.length })), testTable(good, picture.vehicle)),
            asOf,
        ].filter(Boolean));
        if (hasFocus) body.querySelector("summary")?.focus();
    }
    return { node, update };
}

const performanceName = (name) => optional(`performance.names.${name}`) ?? monitorName(name);

/** A table of the counters of an ECU. */
export const performanceTable = (one) => html("table", { class: "counters" },
    html("thead", {}, html("tr", {}, ["monitor", "completions", "conditions", "ratio"].map((column) => html("th", { scope: "col" }, text(`performance.columns.${column}`))))),
    html("tbody", {}, one.monitors.map(({ name, completions, conditions, ratio }) => html("tr", {},
        html("th", { scope: "row" }, performanceName(name)), html("td", {}, String(completions)), html("td", {}, String(conditions)),
        html("td", {}, ratio === undefined ? "–" : decimal(ratio, 3, true))))));

/** The general counters of an ECU in words. */
export const performanceFacts = ({ cycles, conditions }) => [
    cycles !== undefined && text("performance.cycles", { count: cycles }), conditions !== undefined && text("performance.conditions", { count: conditions }),
].filter(Boolean).join(" · ");

export function performanceView() {
    const body = html("div");
    const asOf = html("p", { class: "quiet" });
    const node = html("section", { class: "card performance", "aria-labelledby": "performance-heading" },
        html("h3", { id: "performance-heading", tabindex: "-1" }, text("performance.heading")), body);
    const isNew = watcher();

    function update(picture, now) {
        write(asOf, text("codes.asOf", { when: sent(picture, time(picture.vehicle?.time), now) }));
        if (!isNew(picture, picture.vehicle)) return;
        const found = performance(picture.vehicle);
        if (found.length === 0) return body.replaceChildren(html("p", { class: "quiet" }, text("performance.none")));
        body.replaceChildren(
            html("p", { class: "quiet" }, text("performance.hint")),
            ...found.flatMap((one) => [html("h4", {}, ecuTitle(picture.vehicle, one.ecu)), performanceTable(one), html("p", { class: "quiet" }, performanceFacts(one))]),
            asOf);
    }
    return { node, update };
}
