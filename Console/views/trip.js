// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The present trip, or the last one.

import { shown } from "../model/json.js";
import { trip } from "../model/trip.js";
import { trip as texts } from "../texts.en.js";
import { html } from "./elements.js";
import { age, date, isOld } from "./when.js";

export function tripView() {
    const body = html("div");
    const node = html("section", { class: "card trip", "aria-labelledby": "trip-heading" }, html("h3", { id: "trip-heading" }, texts.heading), body);
    let shownContent;

    function update(picture, now) {
        const found = trip(picture.trip);
        const present = picture.end(now);
        // A trip that goes on has a message each minute.
        const isPresent = picture.isKnown("availability") && picture.availability === "online" && !isOld(found?.asOf, present);
        const asOf = found?.isOngoing && !isPresent ? age(found.asOf, found.isCertain, present) : undefined;
        const content = `${picture.name} ${asOf} ${JSON.stringify(picture.trip)}`;
        if (content === shownContent) return;
        shownContent = content;
        node.hidden = found === undefined;
        if (found === undefined) return body.replaceChildren();
        const rows = (list, name) => list.map((one) => html("tr", {},
            html("th", { scope: "row" }, name(one.name)), html("td", {}, `${shown(one.value)} ${one.unit}`.trim())));
        body.replaceChildren(
            html("p", { class: "quiet" }, texts.from(date(found.start), found.isOngoing, found.isCertain, asOf)),
            html("table", {}, html("tbody", {}, rows(found.times, texts.name), rows(found.figures, texts.name), rows(found.totals, texts.total))));
    }
    return { node, update };
}
