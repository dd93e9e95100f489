// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Readiness for an inspection: of the vehicle, of each ECU, and in the present driving cycle.

import { readiness } from "../model/codes.js";
import { time } from "../model/json.js";
import { cycle, readinessByECU } from "../model/tests.js";
import { text, word } from "../texts.js";
import { ecuTitle } from "./codes.js";
import { html, watcher, write } from "./elements.js";
import { sent } from "./when.js";

export const monitorName = (name) => word.phrase("monitor", name);

/** The list of monitors with their states. */
export const monitorList = (states) => html("ul", { class: "monitors" }, states.map(({ name, isComplete }) =>
    html("li", { "data-complete": String(isComplete) },
        html("span", {}, monitorName(name)), html("span", { class: "tag" }, word.term(`readiness.${isComplete ? "complete" : "incomplete"}`)))));

/** The number of monitors that are incomplete, in words. */
export function openWords(states) {
    const count = states.filter((state) => !state.isComplete).length;
    return count === 0 ? text("readiness.all") : text("readiness.some", { count });
}

export function readinessView({ read }) {
    const body = html("div");
    const [asOf, cycleAsOf] = [html("p", { class: "quiet" }), html("p", { class: "quiet" })];
    const node = html("section", { class: "card readiness", "aria-labelledby": "readiness-heading" },
        html("div", { class: "line" },
            html("h3", { id: "readiness-heading", tabindex: "-1" }, text("readiness.heading")),
            html("button", { type: "button", click: read }, text("readiness.read"))),
        body);
    const isNew = watcher();

    function ofECU({ ecu, mil, incomplete }, vehicle) {
        const words = [mil && text("readiness.lamp"), incomplete.length === 0 ? text("readiness.all") : incomplete.map(monitorName).join(", ")];
        return html("tr", {}, html("th", { scope: "row" }, ecuTitle(vehicle, ecu)), html("td", {}, words.filter(Boolean).join(" · ")));
    }

    function update(picture, now) {
        const present = cycle(picture.monitors);
        write(asOf, text("codes.asOf", { when: sent(picture, time(picture.monitors?.time), now) }));
        write(cycleAsOf, text("codes.asOf", { when: sent(picture, present?.time, now) }));
        if (!isNew(picture, picture.monitors, picture.vehicle)) return;
        const states = readiness(picture.monitors);
        if (states.length === 0) return body.replaceChildren(html("p", { class: "quiet" }, text("readiness.none")));
        const isOpen = body.querySelector("details")?.open === true;
        const isComplete = states.every((state) => state.isComplete);
        const byECU = readinessByECU(picture.monitors);
        body.replaceChildren(...[
            html("p", { class: isComplete ? "fine" : "warning" }, openWords(states)),
            monitorList(states),
            byECU.length > 0 && html("table", {}, html("tbody", {}, byECU.map((one) => ofECU(one, picture.vehicle)))),
            asOf,
            present && html("details", { open: isOpen }, html("summary", {}, text("readiness.cycle")), monitorList(present.states), cycleAsOf),
        ].filter(Boolean));
    }
    return { node, update };
}
