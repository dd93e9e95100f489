// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The newest finding about a vehicle, and the form for another one.

import { codesIn, findingText } from "../model/commands.js";
import { text, texts as words, time } from "../model/json.js";
import { finding as texts } from "../texts.en.js";
import { field, html, write } from "./elements.js";
import { date } from "./when.js";

/** @param record called with the arguments of `record_finding` */
export function findingView(record) {
    const last = html("div");
    const input = html("textarea", { rows: 4, maxlength: 4000 });
    const codes = html("input", { placeholder: "P0301, P0420", autocapitalize: "characters", spellcheck: "false" });
    const severity = html("select", {}, Object.entries(texts.severities).map(([value, label]) => html("option", { value }, label)));
    const problem = html("p", { class: "problem", role: "alert" });
    const form = html("form", { submit: (event) => { event.preventDefault(); apply(); } },
        field(texts.text, input, texts.textHint),
        html("div", { class: "pair" }, field(texts.codes, codes), field(texts.severity, severity)),
        problem,
        html("button", { type: "submit", class: "primary" }, texts.record));
    const node = html("section", { class: "card finding", "aria-labelledby": "finding-heading" },
        html("h3", { id: "finding-heading" }, texts.heading), last,
        html("details", {}, html("summary", {}, texts.write), form));
    let shownContent;

    function update(picture) {
        const finding = picture.finding;
        const content = `${picture.name} ${JSON.stringify(finding)}`;
        if (content === shownContent) return;
        shownContent = content;
        if (!finding) return last.replaceChildren(html("p", { class: "quiet" }, texts.none));
        const about = words(finding.codes);
        const facts = [date(time(finding.time)), texts.by(text(finding.issuer)), about.length > 0 && texts.about(about.join(", "))];
        const severity = text(finding.severity) ?? "info";
        last.replaceChildren(
            html("p", { class: "line" }, html("span", { class: "tag", "data-severity": severity }, texts.severities[severity] ?? severity),
                html("small", {}, facts.filter(Boolean).join(" · "))),
            html("p", { class: "text" }, text(finding.text) ?? ""));
    }

    function apply() {
        const { codes: about, wrong } = codesIn(codes.value);
        const body = findingText(input.value);
        if (body === "") {
            write(problem, texts.empty);
            return input.focus();
        }
        if (wrong.length > 0) {
            write(problem, texts.wrongCodes(wrong.join(", ")));
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
