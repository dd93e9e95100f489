// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The trouble codes by group, each with its explanation and the values that its ECU stored with it.

import { grouped, unreadFrames } from "../model/codes.js";
import { ecuName } from "../model/identity.js";
import { texts as words, time } from "../model/json.js";
import { units } from "../model/units.js";
import { optional, text, word } from "../texts.js";
import { html, watcher, write } from "./elements.js";
import { inWords } from "./reading.js";
import { date, sent } from "./when.js";

/** A code's group: the contract's category and group, as far as they are present. */
export const groupTitle = (name) => name.split(":").filter(Boolean).map((one, index) => (index === 0 ? word.phrase("category", one) : word.term(`component.${one}`) ?? word.spoken(one))).join(": ") || text("codes.others");
export const stateWord = (state) => word.term(`codes.${state}`) ?? state;
export const severityWord = (severity) => word.term(`severity.${severity}`) ?? severity;
/** An ECU with its name, if the vehicle tells one. */
export const ecuTitle = (vehicle, ecu) => [ecu, ecuName(vehicle, ecu)].filter(Boolean).join(" ");

/** The facts about a code besides its description. */
export const codeFacts = ({ failureType, severityClass, spn, fmi, firstSeen }) => [
    failureType && text("codes.failureType", { type: failureType }),
    severityClass !== undefined && (optional(`codes.classes.${severityClass}`) ?? text("codes.class", { number: severityClass })),
    spn !== undefined && text("codes.spn", { spn: String(spn), fmi: String(fmi ?? "?") }),
    firstSeen && text("codes.firstSeen", { date: date(time(firstSeen)) }),
].filter(Boolean);

/** The table of a freeze frame. */
export const frameTable = (frame) => html("table", {},
    html("thead", {}, html("tr", {}, ["parameter", "value"].map((column) => html("th", { scope: "col" }, text(`codes.frameColumns.${column}`))))),
    html("tbody", {}, frame.map((one) => html("tr", {}, html("th", { scope: "row" }, word.title(one.name)), html("td", {}, inWords(one.name, one))))));

/** The sentences about what of the codes is not known. */
export function doubts(report) {
    if (!report) return [text("codes.neverRead")];
    const found = [];
    if (report.known !== true) found.push(text(grouped(report).length === 0 ? "codes.unknown" : "codes.partial"));
    const unread = words(report.unread).map(stateWord);
    if (unread.length > 0 && report.known === true) found.push(text("codes.unread", { states: unread.join(", ") }));
    const frames = unreadFrames(report);
    if (frames.length > 0) found.push(text("codes.framesUnread", { ecus: frames.join(", ") }));
    return found;
}

/** The largest number of codes that are shown; the file has all. */
const limit = 100;

/** @param isClearing whether the codes are being cleared, or the user is asked about it */
export function codesView({ read, clear, isClearing, save }) {
    const body = html("div");
    const clearButton = html("button", { type: "button", click: clear }, text("codes.clear"));
    // What is below may be open, or about to be clicked, so only this changes with the time.
    const asOf = html("p", { class: "quiet" });
    const node = html("section", { class: "card codes", "aria-labelledby": "codes-heading" },
        html("h3", { id: "codes-heading", tabindex: "-1" }, text("codes.heading")),
        html("div", { class: "actions" },
            html("button", { type: "button", class: "primary", click: read }, text("codes.read")),
            clearButton,
            html("button", { type: "button", "aria-label": text("codes.csv"), click: save }, text("files.button"))),
        body);
    const isNew = watcher();

    function entry(one, vehicle, open) {
        const { code, ecu, description, states, severity, frame, unread } = one;
        const key = `${code} ${ecu}`;
        const facts = codeFacts(one);
        const parts = [
            html("div", { class: "line" },
                html("strong", { class: "code" }, code),
                html("span", { class: "tags" }, ecu && html("span", { class: "tag" }, ecuTitle(vehicle, ecu)),
                    states.map((state) => html("span", { class: "tag", "data-state": state }, stateWord(state))),
                    severity && html("span", { class: "tag", "data-severity": severity }, severityWord(severity)))),
            html("p", {}, word.meaning(description)),
            facts.length > 0 && html("p", { class: "quiet" }, facts.join(" · ")),
        ];
        if (frame.length > 0 || unread.length > 0) {
            parts.push(html("details", { "data-key": key, open: open.has(key) },
                html("summary", { "aria-label": text("codes.frame", { code, ecu }) }, text("codes.frameShort")),
                frameTable(frame),
                unread.length > 0 && html("p", { class: "quiet" }, text("codes.frameUnread", { names: unread.map(word.title).join(", ") }))));
        }
        return html("li", {}, parts);
    }

    function update(picture, now) {
        const report = picture.codes;
        clearButton.disabled = isClearing();
        if (isNew(picture, units(), picture.vehicle, report)) build(picture, report);
        // Only what was drawn has the time of the report.
        write(asOf, text("codes.asOf", { when: sent(picture, time(report?.time), now) }));
    }

    function build(picture, report) {
        const open = new Set([...body.querySelectorAll("details[open]")].map((details) => details.dataset.key));
        const focus = body.contains(document.activeElement) ? document.activeElement.closest("details")?.dataset.key : undefined;
        const groups = grouped(report);
        const parts = doubts(report).map((sentence) => html("p", { class: report ? "warning" : "quiet" }, sentence));
        if (parts.length === 0 && groups.length === 0) parts.push(html("p", {}, text("codes.none")));
        let room = limit;
        for (const group of groups) {
            const entries = group.entries.slice(0, room);
            room -= entries.length;
            if (entries.length > 0) parts.push(html("h4", {}, groupTitle(group.name)), html("ul", { class: "list" }, entries.map((one) => entry(one, picture.vehicle, open))));
        }
        const left = groups.reduce((sum, group) => sum + group.entries.length, 0) - limit;
        if (left > 0) parts.push(html("p", { class: "warning" }, text("codes.left", { count: left })));
        if (report) parts.push(asOf);
        body.replaceChildren(...parts);
        if (focus) [...body.querySelectorAll("details")].find((details) => details.dataset.key === focus)?.querySelector("summary").focus();
    }
    return { node, update };
}
