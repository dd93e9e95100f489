// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The newest finding about a vehicle, and the form for another one.

import { codesIn, findingText } from "../model/commands.js";
import { text as string, texts as words, time } from "../model/json.js";
import { text, word } from "../texts.js";
import { field, html, watcher, write } from "./elements.js";
import { ago, date } from "./when.js";

const severities = ["info", "attention", "urgent"];

/** A finding: its urgency, its time and author, and its text. */
export function findingParts(finding, now) {
    const about = words(finding.codes);
    const [at, issuer] = [time(finding.time), string(finding.issuer)];
    const facts = [
        at !== undefined && `${date(at)} (${ago(at, now)})`, issuer ? text("finding.by", { issuer }) : text("finding.unsigned"),
        about.length > 0 && text("finding.about", { codes: about.join(", ") }),
    ];
    const severity = string(finding.severity) ?? "info";
    return [
        html("p", { class: "line" }, html("span", { class: "tag", "data-severity": severity }, word.phrase("severity", severity)),
            html("small", {}, facts.filter(Boolean).join(" · "))),
        html("p", { class: "text" }, string(finding.text) ?? ""),
    ];
}

/** @param record called with the arguments of `record_finding` */
export function findingView(record) {
    const last = html("div");
    const input = html("textarea", { rows: 4, maxlength: 4000 });
    const codes = html("input", { placeholder: "P0301, P0420", autocapitalize: "characters", spellcheck: "false" });
    const severity = html("select", {}, severities.map((value) => html("option", { value }, word.phrase("severity", value))));
    const problem = html("p", { class: "problem", role: "alert" });
    const form = html("form", { submit: (event) => { event.preventDefault(); apply(); } },
        field(text("finding.text"), input, text("finding.textHint")),
        html("div", { class: "pair" }, field(text("finding.codes"), codes), field(text("finding.severity"), severity)),
        problem,
        html("button", { type: "submit", class: "primary" }, text("finding.record")));
    const node = html("section", { class: "card finding", "aria-labelledby": "finding-heading" },
        html("h3", { id: "finding-heading", tabindex: "-1" }, text("finding.heading")), last,
        html("details", {}, html("summary", {}, text("finding.write")), form));
    const isNew = watcher();

    function update(picture, now) {
        const finding = picture.finding;
        if (!isNew(picture, finding, ago(time(finding?.time), now))) return;
        last.replaceChildren(...(finding ? findingParts(finding, now) : [html("p", { class: "quiet" }, text("finding.none"))]));
    }

    function apply() {
        const { codes: about, wrong } = codesIn(codes.value);
        const body = findingText(input.value);
        if (body === "") {
            write(problem, text("finding.empty"));
            return input.focus();
        }
        if (wrong.length > 0) {
            write(problem, text("finding.wrongCodes", { words: wrong.join(", ") }));
            return codes.focus();
        }
        write(problem, "");
        const order = { text: body, severity: severity.value };
        if (about.length > 0) order.codes = about;
        record(order);
    }

    /** Empties the form after the finding was recorded. */
    function done() {
        input.value = codes.value = "";
    }
    return { node, update, done };
}
