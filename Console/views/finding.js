// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The newest finding about a vehicle, and the form for another one.

import { codesIn, findingText } from "../model/commands.js";
import { text as string, texts as words, time } from "../model/json.js";
import { text, word } from "../texts.js";
import { field, html, watcher, write } from "./elements.js";
import { age, date, sent } from "./when.js";

const severities = ["info", "attention", "urgent"];

/** A finding: its urgency, its time and author, and its text. */
export function findingParts(finding, now, isCertain = true) {
    const about = words(finding.codes);
    const [at, issuer] = [time(finding.time), string(finding.issuer)];
    const facts = [
        at !== undefined && `${date(at)} (${age(at, isCertain, now)})`, issuer ? text("finding.by", { issuer }) : text("finding.unsigned"),
        about.length > 0 && text("finding.about", { codes: about.join(", ") }),
    ];
    const severity = string(finding.severity) ?? "info";
    return [
        html("p", { class: "line" }, html("span", { class: "tag", "data-severity": severity }, word.phrase("severity", severity)),
            html("small", {}, facts.filter(Boolean).join(" · "))),
        html("p", { class: "text" }, string(finding.text) ?? ""),
    ];
}

/** The largest number of vehicles whose drafts are kept. */
export const draftLimit = 5;

/** @param record called with the arguments of `record_finding`, and the vehicle that they are about; resolves to whether it is recorded */
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
    const writing = html("details", {}, html("summary", {}, text("finding.write")), form);
    const node = html("section", { class: "card finding", "aria-labelledby": "finding-heading" },
        html("h3", { id: "finding-heading", tabindex: "-1" }, text("finding.heading")), last,
        writing);
    const isNew = watcher();
    /** What the user has begun to write, by vehicle. */
    const drafts = new Map();
    /** The vehicle that the form is about. */
    let vehicle;

    function update(picture, now) {
        if (picture.name !== vehicle) take(picture.name);
        const finding = picture.finding;
        if (!isNew(picture, finding, sent(picture, time(finding?.time), now))) return;
        last.replaceChildren(...(finding ? findingParts(finding, picture.end(now), picture.isClockCertain) : [html("p", { class: "quiet" }, text("finding.none"))]));
    }

    /** Keeps the draft of the vehicle that was shown, and empties the form. */
    function reset() {
        drafts.delete(vehicle);
        if (vehicle !== undefined && (input.value !== "" || codes.value !== "")) {
            drafts.set(vehicle, { text: input.value, codes: codes.value, severity: severity.value, isOpen: writing.open });
        }
        if (drafts.size > draftLimit) drafts.delete(drafts.keys().next().value);
        vehicle = undefined;
        fill();
    }

    /** Shows the draft of a vehicle, if there is one. */
    function take(name) {
        reset();
        vehicle = name;
        fill(drafts.get(name));
    }

    function fill({ text: begun = "", codes: about = "", severity: chosen = severities[0], isOpen = false } = {}) {
        [input.value, codes.value, severity.value, writing.open] = [begun, about, chosen, isOpen];
        write(problem, "");
    }

    async function apply() {
        if (vehicle === undefined) return;
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
        const [target, begun] = [vehicle, input.value];
        if (!await record(order, target)) return;
        // The user may have chosen another vehicle meanwhile, or written on.
        if (drafts.get(target)?.text === begun) drafts.delete(target);
        if (vehicle === target && input.value === begun) input.value = codes.value = "";
    }

    /** Forgets all drafts. */
    function forget() {
        vehicle = undefined;
        drafts.clear();
        fill();
    }
    return { node, update, reset, forget };
}
