// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The trips: the present one or the last one, and those that the vehicle has finished while the page was open or before.

import * as csv from "../model/csv.js";
import { trip, trips } from "../model/trip.js";
import { figure, units } from "../model/units.js";
import { decimals } from "../model/values.js";
import { decimal, optional, text, word } from "../texts.js";
import { html } from "./elements.js";
import { age, date, isOld, minute } from "./when.js";

/** The parameters whose decimals a figure has. */
const kinds = { mean_speed: "vehicle_speed", maximum_speed: "vehicle_speed", state_of_charge: "fuel_level" };
/** The figures that are counts. */
const counts = new Set(["harsh_braking", "harsh_acceleration", "over_speed"]);

const digits = (value, unit, name) => decimal(value, decimals(value, unit, word.parameter(Object.hasOwn(kinds, name) ? kinds[name] : name)));
const number = (value, unit = "", name = "") => {
    const found = figure(value, unit, units());
    return `${digits(found.value, found.unit, name)} ${word.unit(found.unit)}`.trim();
};
/** A figure of a trip in the user's units. */
export const figureWords = (one) => (counts.has(one.name) ? text("trip.times", { count: one.value }) : number(one.value, one.unit, one.name));
/** The name of a figure. */
export const figureName = (key) => word.term(`trip.${key}`) ?? optional(`trip.names.${key}`) ?? word.spoken(key);

/**
 * @param actions `picture()`, `draw()` and `download(what, text)` of the page; `earlier()` asks for events of before
 * @param choose called with the time span of the chosen trip; without one if none is chosen
 */
export function tripView({ picture: present, draw, download, earlier }, choose) {
    const body = html("div", { class: "trip-details" });
    const rows = html("tbody");
    const list = html("div", { class: "trips", role: "region", "aria-label": text("trip.list"), tabindex: "0" }, html("table", {},
        html("thead", {}, html("tr", {}, ["start", "duration", "distance", "consumption"].map((column) => html("th", { scope: "col" }, text(`trip.columns.${column}`))))), rows));
    const file = html("button", { type: "button", class: "small", "aria-label": text("trip.csv"), click: () => download("trips", csv.trips(present(), found)) }, text("files.button"));
    const none = html("p", { class: "quiet" }, text("trip.none"));
    const node = html("section", { class: "card trip", "aria-labelledby": "trip-heading" },
        html("div", { class: "line" }, html("h3", { id: "trip-heading", tabindex: "-1" }, text("trip.heading")),
            html("button", { type: "button", title: text("trip.earlierHint"), hidden: !earlier, click: () => earlier() }, text("trip.earlier")), file),
        none, list, body);
    let found = [];
    let [chosenID, shownContent, shownDetails, vehicle] = [undefined, undefined, undefined, undefined];

    /** The consumption of a trip, of fuel or energy. */
    const consumption = (one) => one.figures.filter(({ name: key }) => key === "fuel_consumption" || key === "energy_consumption").map(figureWords).join(", ");

    function pick(id) {
        chosenID = chosenID === id ? undefined : id;
        const one = found.find((trip) => trip.id === chosenID);
        choose(one && { from: one.start, to: one.isOngoing ? Infinity : one.end ?? Infinity });
        draw();
    }

    function table(items, words = figureName) {
        return items.map((one) => html("tr", {}, html("th", { scope: "row" }, words(one.name)), html("td", {}, figureWords(one))));
    }

    /** The end of a trip with the time, the odometer and the levels. */
    function point(one, end) {
        const at = end.name === "start" ? one.start : one.end;
        const facts = [at !== undefined && !(end.name === "end" && one.isOngoing) && date(at), ...end.values.map((fact) => `${figureName(fact.name)} ${figureWords(fact)}`),
            end.place && `${end.place.latitude.toFixed(5)}, ${end.place.longitude.toFixed(5)}`].filter(Boolean);
        return facts.length === 0 ? undefined : html("tr", {}, html("th", { scope: "row" }, text(`trip.ends.${end.name}`)), html("td", {}, facts.join(" · ")));
    }

    const bound = (row, unit) => (row.from === undefined ? text("trip.below", { to: number(row.to, unit) })
        : row.to === undefined ? text("trip.above", { from: number(row.from, unit) }) : `${decimal(row.from)} – ${number(row.to, unit)}`);

    function bands({ name: quantity, unit, rows: parts }) {
        return html("table", { class: "bands" }, html("caption", {}, text("trip.bands", { name: word.title(quantity) })),
            html("thead", {}, html("tr", {}, ["band", "minutes", "share"].map((column) => html("th", { scope: "col" }, text(`trip.columns.${column}`))))),
            html("tbody", {}, parts.map((row) => html("tr", {}, html("th", { scope: "row" }, bound(row, unit)), html("td", {}, number(Math.round(row.seconds / 6) / 10, "min")),
                html("td", {}, html("meter", { min: 0, max: 1, value: row.share.toFixed(3), "aria-label": text("trip.columns.share") }), ` ${decimal(row.share * 100, 0)} %`)))));
    }

    function details(one, asOf) {
        const key = one.isOngoing ? "trip.since" : "trip.from";
        return [
            html("p", { class: "quiet" }, text(key, {
                start: date(one.start), clock: one.isCertain ? "" : text("trip.uncertain"), news: asOf ? text("trip.news", { when: asOf }) : "",
            })),
            html("table", {}, html("tbody", {}, table(one.times), table(one.figures), one.ends.map((end) => point(one, end)), table(one.totals, (total) => text("trip.ofAll", { name: word.term(`total.${total}`) ?? optional(`trip.names.${total}`) ?? word.spoken(total) })))),
            one.appeared.length > 0 && html("p", { class: "warning" }, text("trip.appeared", { codes: one.appeared.join(", ") })),
            one.gone.length > 0 && html("p", {}, text("trip.gone", { codes: one.gone.join(", ") })),
            (one.grounds.length > 0 || one.bands.length > 0) && html("details", {}, html("summary", {}, text("trip.more")),
                html("table", {}, html("tbody", {}, one.sources.map(({ name: source, source: from }) => html("tr", {}, html("th", { scope: "row" }, figureName(source)),
                    html("td", {}, optional(`trip.sources.${from}`) ?? word.title(from)))), table(one.grounds))),
                one.bands.map(bands)),
        ].filter(Boolean);
    }

    function update(picture, now) {
        if (vehicle !== picture.name) {
            [vehicle, chosenID] = [picture.name, undefined];
            choose(undefined);
        }
        const current = trip(picture.trip);
        found = trips(current, picture.trips);
        const end = picture.end(now);
        // A trip that goes on has a message each minute.
        const isPresent = picture.isKnown("availability") && picture.availability === "online" && !isOld(current?.asOf, end);
        const asOf = current?.isOngoing && !isPresent ? age(current.asOf, current.isCertain, end) : undefined;
        const one = found.find((trip) => trip.id === chosenID) ?? (current && { ...current, id: "present" }) ?? found[0];
        none.hidden = found.length > 0 || one !== undefined;
        file.disabled = found.length === 0;
        list.hidden = found.length < 2;
        const content = `${picture.name} ${units()} ${chosenID} ${found.map((trip) => `${trip.id} ${trip.end} ${trip.figures[0]?.value}`).join()}`;
        if (content !== shownContent) {
            shownContent = content;
            const focus = rows.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
            rows.replaceChildren(...found.map((trip) => html("tr", { "data-chosen": trip.id === chosenID && "true" },
                html("th", { scope: "row" }, html("button", { type: "button", class: "small", "data-id": trip.id, "aria-pressed": String(trip.id === chosenID), click: () => pick(trip.id) },
                    trip.isOngoing ? text("trip.ongoing", { start: minute(trip.start) }) : date(trip.start))),
                html("td", {}, trip.times.filter((time) => time.name === "duration").map(figureWords)),
                html("td", {}, trip.figures.filter((figure) => figure.name === "distance").map(figureWords)), html("td", {}, consumption(trip)))));
            if (focus) [...rows.querySelectorAll("button")].find((button) => button.dataset.id === focus)?.focus();
        }
        const shown = `${picture.name} ${units()} ${asOf} ${JSON.stringify(one)}`;
        if (shown === shownDetails) return;
        const isOpen = body.querySelector("details")?.open === true && shownDetails?.startsWith(`${picture.name} `);
        const hasFocus = body.contains(document.activeElement);
        shownDetails = shown;
        body.replaceChildren(...(one ? details(one, one.isOngoing ? asOf : undefined) : []));
        const more = body.querySelector("details");
        if (more && isOpen) more.open = true;
        if (more && hasFocus) more.querySelector("summary").focus();
    }
    return { node, update };
}
