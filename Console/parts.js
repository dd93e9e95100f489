// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The parts of a vehicle: each has an address, and views of its own.

import * as csv from "./model/csv.js";
import { grouped } from "./model/codes.js";
import { emptyLimit } from "./model/earlier.js";
import { captureView } from "./views/capture.js";
import { codesView, groupTitle } from "./views/codes.js";
import { ecusView, identityView } from "./views/ecus.js";
import { eventsView } from "./views/events.js";
import { findingView } from "./views/finding.js";
import { guarded } from "./views/guarded.js";
import { historyView } from "./views/history.js";
import { limitsView } from "./views/limits.js";
import { positionView } from "./views/position.js";
import { readinessView } from "./views/readiness.js";
import { selectionView } from "./views/selection.js";
import { performanceView, testsView } from "./views/tests.js";
import { trackView } from "./views/track.js";
import { tripView } from "./views/trip.js";
import { valuesView } from "./views/values.js";

/** Asks for the events before those that the page has. An epoch whose last number is unknown is asked about first. */
async function askForEarlierEvents(actions) {
    const { name } = actions.picture();
    const earlier = actions.events.earlier(name);
    for (let tries = 0; tries < emptyLimit && actions.picture()?.name === name; tries += 1) {
        const order = earlier.next(actions.picture().status);
        if (order === undefined) return;
        const over = await actions.send("resend", order, name);
        if (over.state !== "succeeded" || earlier.received(order, over.answer.result)) return;
    }
}

/**
 * The parts in their order: the name in the address, the key of the title, and what makes the views.
 *
 * `make(actions)` returns a view or a list of views: `{ node, update(picture, now) }`. A view may also have `reset()`, for
 * when the user chooses another vehicle, and `reveal(series)`, for when the user chooses a series to plot. Only parts
 * that are shown are updated, and one that fails leaves the others alone. `forget()` is for when the user leaves the broker.
 * The actions are in console.js.
 */
export const parts = [
    ["values", "parts.values", (actions) => {
        const view = valuesView({ plot: actions.toggle, save: () => actions.download("values", csv.values(actions.picture())) });
        return [{ ...view, update: (picture, now) => view.update(picture, actions.plots, now) }, selectionView((order) => actions.send("select_parameters", order))];
    }],
    ["history", "parts.history", (actions) => [historyView(actions), captureView(actions)]],
    ["codes", "parts.codes", (actions) => {
        const finding = findingView((order, vehicle) => actions.send("record_finding", order, vehicle).then((over) => over.state === "succeeded"));
        const codes = codesView({
            read: () => actions.send("read_codes"),
            clear: () => actions.clearCodes(),
            isClearing: () => actions.isClearing,
            save: () => actions.download("codes",
                csv.codes(actions.picture(), grouped(actions.picture().codes).map((group) => ({ ...group, name: groupTitle(group.name) })))),
        });
        return [limitsView(), codes, readinessView({ read: () => actions.send("read_monitors") }), finding];
    }],
    ["trips", "parts.trips", (actions) => {
        const track = trackView(actions);
        return [tripView({ ...actions, earlier: () => askForEarlierEvents(actions) }, track.choose), positionView(), track];
    }],
    ["events", "parts.events", (actions) => eventsView({
        list: (name) => actions.events.of(name),
        canAsk: (picture) => actions.events.earlier(picture.name).next(picture.status) !== undefined,
        earlier: () => askForEarlierEvents(actions),
        notify: actions.notify,
    })],
    ["vehicle", "parts.vehicle", (actions) => [
        identityView({ read: () => actions.send("read_vehicle") }), ecusView(),
        testsView({ read: () => actions.send("read_monitors") }), performanceView(),
    ]],
    ["commands", "parts.commands", ({ log }) => ({ node: log.node, update() {}, forget: log.forget })],
].map(([name, title, make]) => [name, title, (actions) => [make(actions)].flat().map(guarded)]);

/** The columns of a wide page; on a narrower one the later columns follow the one before them. */
export const columns = [["values", "history", "trips"], ["codes", "events"], ["vehicle", "commands"]];
