// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The trouble codes by group, and readiness.

import { grouped, readiness } from "../model/codes.js";
import { texts as words, time } from "../model/json.js";
import { codes as texts, files, readiness as monitors, values } from "../texts.en.js";
import { html } from "./elements.js";
import { ago } from "./when.js";

export function codesView({ read, clear, save }) {
    const body = html("div");
    const node = html("section", { class: "card codes", "aria-labelledby": "codes-heading" },
        html("h3", { id: "codes-heading" }, texts.heading),
        html("div", { class: "actions" },
            html("button", { type: "button", class: "primary", click: read }, texts.read),
            html("button", { type: "button", click: clear }, texts.clear),
            html("button", { type: "button", "aria-label": texts.csv, click: save }, files.button)),
        body);
    let shownContent;

    function entry({ code, ecu, description, states, severity, frame, unread }, open) {
        const key = `${code} ${ecu}`;
        const parts = [
            html("div", { class: "line" },
                html("strong", { class: "code" }, code),
                html("span", { class: "tags" }, ecu && html("span", { class: "tag" }, ecu),
                    states.map((state) => html("span", { class: "tag", "data-state": state }, texts.states[state] ?? state)),
                    severity && html("span", { class: "tag", "data-severity": severity }, texts.severities[severity] ?? severity))),
            html("p", {}, description),
        ];
        if (frame.length > 0 || unread.length > 0) {
            parts.push(html("details", { "data-key": key, open: open.has(key) },
                html("summary", { "aria-label": texts.frame(code, ecu) }, texts.frameShort),
                html("table", {},
                    html("thead", {}, html("tr", {}, texts.frameColumns.map((title) => html("th", { scope: "col" }, title)))),
                    html("tbody", {}, frame.map(({ name, value, unit }) => html("tr", {},
                        html("th", { scope: "row" }, values.parameter(name)), html("td", {}, `${value} ${unit}`))))),
                unread.length > 0 && html("p", { class: "quiet" }, texts.frameUnread(unread.map(values.parameter).join(", ")))));
        }
        return html("li", {}, parts.filter(Boolean));
    }

    function update(picture, now) {
        const report = picture.codes;
        const content = `${picture.name} ${JSON.stringify(report)} ${report ? ago(time(report.time), now) : ""}`;
        if (content === shownContent) return;
        shownContent = content;
        const open = new Set([...body.querySelectorAll("details[open]")].map((details) => details.dataset.key));
        const focus = body.contains(document.activeElement) ? document.activeElement.closest("details")?.dataset.key : undefined;
        const groups = grouped(report);
        const parts = [];
        if (!report) parts.push(html("p", { class: "quiet" }, texts.neverRead));
        else if (report.known !== true) parts.push(html("p", { class: "warning" }, groups.length === 0 ? texts.unknown : texts.partial));
        else if (groups.length === 0) parts.push(html("p", {}, texts.none));
        const unread = words(report?.unread).map((state) => texts.states[state] ?? state);
        if (unread.length > 0 && report.known === true) parts.push(html("p", { class: "warning" }, texts.unread(unread.join(", "))));
        for (const group of groups) {
            parts.push(html("h4", {}, texts.group(group.name)), html("ul", { class: "list" }, group.entries.map((one) => entry(one, open))));
        }
        if (report) parts.push(html("p", { class: "quiet" }, texts.asOf(ago(time(report.time), now))));
        body.replaceChildren(...parts);
        if (focus) [...body.querySelectorAll("details")].find((details) => details.dataset.key === focus)?.querySelector("summary").focus();
    }
    return { node, update };
}

export function readinessView({ read }) {
    const body = html("div");
    const node = html("section", { class: "card readiness", "aria-labelledby": "readiness-heading" },
        html("div", { class: "line" },
            html("h3", { id: "readiness-heading" }, monitors.heading),
            html("button", { type: "button", click: read }, monitors.read)),
        body);
    let shownContent;

    function update(picture, now) {
        const asOf = texts.asOf(ago(time(picture.monitors?.time), now));
        const content = `${picture.name} ${asOf} ${JSON.stringify(picture.monitors?.monitors)}`;
        if (content === shownContent) return;
        shownContent = content;
        const states = readiness(picture.monitors);
        if (states.length === 0) return body.replaceChildren(html("p", { class: "quiet" }, monitors.none));
        const open = states.filter((state) => !state.isComplete).length;
        body.replaceChildren(
            html("p", { class: open > 0 ? "warning" : "fine" }, open === 0 ? monitors.all : monitors.some(open)),
            html("ul", { class: "monitors" }, states.map(({ name, isComplete }) => html("li", { "data-complete": String(isComplete) },
                html("span", {}, monitors.name(name)),
                html("span", { class: "tag" }, isComplete ? monitors.complete : monitors.incomplete)))),
            html("p", { class: "quiet" }, asOf));
    }
    return { node, update };
}
