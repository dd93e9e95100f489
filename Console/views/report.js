// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The vehicle on paper, for the workshop. Everything has the time as of which it is, and its age when it was printed.

import { lamps } from "../model/age.js";
import { grouped, readiness } from "../model/codes.js";
import { ecus } from "../model/identity.js";
import { text as string, time } from "../model/json.js";
import { performance, tests } from "../model/tests.js";
import { trip } from "../model/trip.js";
import { snapshot } from "../model/values.js";
import { optional, text, word } from "../texts.js";
import { what } from "./capture.js";
import { codeFacts, doubts, ecuTitle, frameTable, groupTitle, severityWord, stateWord } from "./codes.js";
import { ecuFacts, factList, identityFacts } from "./ecus.js";
import { html } from "./elements.js";
import { findingParts } from "./finding.js";
import { limitRows } from "./limits.js";
import { monitorList, openWords } from "./readiness.js";
import { inWords } from "./reading.js";
import { performanceFacts, performanceTable, testCounts, testDoubts, testTable } from "./tests.js";
import { figureName, figureWords } from "./trip.js";
import { age, date, since } from "./when.js";

/** The largest numbers of captures, and of series of each. */
const captureLimit = 3;
const seriesLimit = 12;

/** The time as of which something is, with its age; or that both are unknown. */
function asOf(at, isCertain, now) {
    const words = at === undefined ? text("report.unknown")
        : text(isCertain ? "report.asOf" : "report.uncertain", { date: date(at), age: age(at, isCertain, now) });
    return html("p", { class: "as-of" }, words);
}

const section = (title, ...children) => html("section", {}, html("h2", {}, title), children);
const table = (columns, rows) => html("table", {},
    html("thead", {}, html("tr", {}, columns.map((column) => html("th", { scope: "col" }, column)))), html("tbody", {}, rows));

function codesSection(picture, now, isCertain) {
    const report = picture.codes;
    const entry = (one) => html("li", {},
        html("p", {}, html("strong", {}, one.code), " ", [ecuTitle(picture.vehicle, one.ecu), ...one.states.map(stateWord), one.severity && severityWord(one.severity)].filter(Boolean).join(" · ")),
        html("p", {}, word.meaning(one.description)),
        codeFacts(one).length > 0 && html("p", {}, codeFacts(one).join(" · ")),
        one.frame.length > 0 && [html("h4", {}, text("codes.frameShort")), frameTable(one.frame)],
        one.unread.length > 0 && html("p", {}, text("codes.frameUnread", { names: one.unread.map(word.title).join(", ") })));
    const groups = grouped(report);
    const lamp = picture.mil === undefined ? "unknown" : picture.mil ? "on" : "off";
    return section(text("codes.heading"), asOf(time(report?.time), isCertain, now),
        html("p", {}, html("strong", {}, text(`lamp.${lamp}`))),
        doubts(report).map((sentence) => html("p", {}, sentence)),
        report?.known === true && groups.length === 0 && html("p", {}, text("codes.none")),
        groups.map((group) => [html("h3", {}, groupTitle(group.name)), html("ul", {}, group.entries.map(entry))]));
}

function readinessSection(picture, now, isCertain) {
    const states = readiness(picture.monitors);
    if (states.length === 0) return section(text("readiness.heading"), html("p", {}, text("readiness.none")));
    return section(text("readiness.heading"), asOf(time(picture.monitors.time), isCertain, now), html("p", {}, openWords(states)), monitorList(states));
}

function testsSection(picture, now, isCertain) {
    const found = tests(picture.monitors);
    if (!found) return section(text("tests.heading"), html("p", {}, text("tests.none")));
    return section(text("tests.heading"), asOf(found.time, isCertain, now), html("p", {}, testCounts(found)),
        testDoubts(found, picture.vehicle).map((sentence) => html("p", {}, sentence)), testTable(found.results, picture.vehicle));
}

function performanceSection(picture, now, isCertain) {
    const found = performance(picture.vehicle);
    return found.length > 0 && section(text("performance.heading"), asOf(time(picture.vehicle.time), isCertain, now),
        found.map((one) => [html("h3", {}, ecuTitle(picture.vehicle, one.ecu)), performanceTable(one), html("p", {}, performanceFacts(one))]));
}

function ecusSection(picture, now, isCertain) {
    const found = ecus(picture.vehicle);
    return found.length > 0 && section(text("ecus.heading"), asOf(time(picture.vehicle.time), isCertain, now),
        found.map((one) => [html("h3", {}, ecuTitle(undefined, one.ecu), " ", one.name ?? ""), factList([...ecuFacts(one), [text("ecus.facts.supported"), String(one.supported.length)]])]));
}

/** The present trip, or the last one that is known. */
function tripSection(picture, now) {
    const found = trip(picture.trip) ?? picture.trips[0];
    if (!found) return undefined;
    const span = [found.start, found.isOngoing ? undefined : found.end].map(date).filter(Boolean).join(" – ");
    return section(text(found.isOngoing ? "report.trip" : "report.lastTrip"), asOf(found.asOf ?? found.end, found.isCertain, now), html("p", {}, span),
        factList([...found.times, ...found.figures].map((one) => [figureName(one.name), figureWords(one)])),
        found.appeared.length > 0 && html("p", {}, text("trip.appeared", { codes: found.appeared.join(", ") })));
}

/** What was read around a moment, such as that at which a code appeared. */
function captureTable(found) {
    const series = found.series.slice(0, seriesLimit).map(({ name, points }) => {
        const values = points.map(({ value }) => value);
        // The value of the moment is the last one that was read before it.
        const moment = points.filter(({ at }) => at <= 0).pop()?.value;
        const unit = word.parameter(name.split("/")[0])?.unit;
        return { name, cells: [moment, Math.min(...values), Math.max(...values)].map((value) => (value === undefined ? "–" : inWords(name, { value, unit }))) };
    });
    return table([text("codes.frameColumns.parameter"), text("report.moment"), text("history.columns.lowest"), text("history.columns.highest")],
        series.map(({ name, cells }) => html("tr", {}, html("th", { scope: "row" }, word.title(name)), cells.map((cell) => html("td", {}, cell)))));
}

const capturesSection = (picture, now) => picture.captures.length > 0 && section(text("captures.heading"), picture.captures.slice(0, captureLimit).map((found) => [
    html("h3", {}, what(found)), asOf(found.moment, found.isCertain, now), captureTable(found)]));

/** The values: a live one needs no age, because it is from the moment of printing. */
function valuesSection(picture, now) {
    const state = ({ state: one, age: old }) => (one === "live" ? text("report.live") : text(one === "late" ? "values.lateAge" : "values.lastAge", { age: since(old, now) }));
    const rows = ({ rows: found }) => found.map((row) => html("tr", { "data-age": row.state },
        html("th", { scope: "row" }, word.title(row.series)), html("td", {}, inWords(row.series, row.reading)), html("td", {}, state(row))));
    const groups = snapshot(picture, word, now);
    return groups.length > 0 && section(text("values.heading"),
        groups.map((group) => [
            group.name !== "first" && html("h3", {}, group.name === "traction_battery" ? text("values.battery") : word.group(group.name)),
            table([text("codes.frameColumns.parameter"), text("codes.frameColumns.value"), text("report.age")], rows(group)),
        ]));
}

function stateSection(picture, isConnected, now, isCertain) {
    const words = lamps(picture, isConnected).map(({ name, state, isPresent }) => {
        const said = optional(`vehicle.lampStates.${name}.${state}`) ?? state;
        return [text(`vehicle.lampNames.${name}`), isPresent || state === "unknown" ? said : text("fleet.lastKnown", { word: said })];
    });
    return section(text("vehicle.lamps"), asOf(picture.lastSeen, isCertain, now), factList(words));
}

/** Builds the paper of a vehicle: an article that only print media show. */
export function report(picture, { isConnected, now, printed }) {
    const isCertain = string(picture.status?.clock) !== "unsynchronised";
    // Times of messages are of the vehicle's clock.
    const end = picture.end(now);
    const limits = limitRows(picture, now);
    return html("article", { class: "report" },
        html("h1", {}, text("report.title", { name: picture.name })),
        html("p", { class: "printed" }, text("report.printed", { date: date(printed) }), picture.isSimulated && ` · ${text("fleet.simulated")}`),
        section(text("identity.heading"), asOf(time(picture.vehicle?.time), isCertain, end), factList(identityFacts(picture))),
        stateSection(picture, isConnected, end, isCertain),
        codesSection(picture, end, isCertain),
        limits.length > 0 && section(text("limits.heading"), html("ul", {}, limits.map((limit) => html("li", {}, html("strong", {}, limit.title), ` ${limit.state} (${limit.when})`)))),
        capturesSection(picture, end),
        tripSection(picture, end),
        readinessSection(picture, end, isCertain),
        testsSection(picture, end, isCertain),
        section(text("finding.heading"), picture.finding ? findingParts(picture.finding, end) : html("p", {}, text("finding.none"))),
        valuesSection(picture, now),
        performanceSection(picture, end, isCertain),
        ecusSection(picture, end, isCertain),
        html("p", { class: "printed" }, text("report.end", { name: picture.name, version: string(picture.status?.version) ?? "?" })));
}
