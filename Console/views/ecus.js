// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The identity of the vehicle, and its ECUs with what each of them answers.

import { ecus, identity } from "../model/identity.js";
import { decimal, optional, text, word } from "../texts.js";
import { html, watcher } from "./elements.js";
import { sent } from "./when.js";

const values = {
    vin_check_digit: (value) => optional(`identity.checkDigits.${value}`) ?? value,
    dialect: (value) => optional(`identity.dialects.${value}`) ?? value,
    ignition: (value) => optional(`identity.ignitions.${value}`) ?? value,
    signal_set_share: (value) => `${decimal(value * 100, 0)} %`,
};

/** The facts about the vehicle as pairs of a title and a text. */
export const identityFacts = (picture) => Object.entries(identity(picture).facts)
    .map(([name, value]) => [text(`identity.facts.${name}`), Object.hasOwn(values, name) ? values[name](value) : value]);

/** A list of pairs of a title and a text. */
export const factList = (pairs) => html("dl", { class: "facts" }, pairs.map(([title, value]) => html("div", {}, html("dt", {}, title), html("dd", {}, value))));

/** The facts about an ECU as pairs of a title and a text. */
export const ecuFacts = ({ vin, calibrations, sums, serial, approval, unread }) => [
    vin && [text("ecus.facts.vin"), vin],
    calibrations.length > 0 && [text("ecus.facts.calibrations"), calibrations.map(({ id, sum }) => (sum ? text("ecus.calibration", { id, sum }) : id)).join(", ")],
    sums.length > 0 && [text("ecus.facts.sums"), sums.join(", ")],
    serial && [text("ecus.facts.serial"), serial],
    approval && [text("ecus.facts.approval"), approval],
    unread.length > 0 && [text("ecus.facts.unread"), unread.map((name) => optional(`ecus.data.${name}`) ?? word.spoken(name)).join(", ")],
].filter(Boolean);

export function identityView({ read }) {
    const body = html("div");
    const node = html("section", { class: "card identity", "aria-labelledby": "identity-heading" },
        html("div", { class: "line" },
            html("h3", { id: "identity-heading", tabindex: "-1" }, text("identity.heading")),
            html("button", { type: "button", "aria-label": text("identity.read"), click: read }, text("identity.readShort"))),
        body);
    const isNew = watcher();

    function update(picture, now) {
        const asOf = sent(picture, identity(picture).time, now);
        if (!isNew(picture, picture.vehicle, picture.status?.version, picture.adapter, picture.monitors?.ignition, asOf)) return;
        const facts = identityFacts(picture);
        if (facts.length === 0) return body.replaceChildren(html("p", { class: "quiet" }, text("identity.none")));
        body.replaceChildren(factList(facts), html("p", { class: "quiet" }, picture.vehicle ? text("codes.asOf", { when: asOf }) : text("identity.unread")));
    }
    return { node, update };
}

export function ecusView() {
    const list = html("ul", { class: "list" });
    const none = html("p", { class: "quiet" }, text("ecus.none"));
    const node = html("section", { class: "card ecus", "aria-labelledby": "ecus-heading" },
        html("h3", { id: "ecus-heading", tabindex: "-1" }, text("ecus.heading")), none, list);
    const isNew = watcher();

    function item(one, open) {
        const facts = ecuFacts(one);
        return html("li", {},
            html("p", { class: "line" }, html("strong", {}, one.name ?? text("ecus.nameless")), html("span", { class: "tag" }, one.ecu)),
            facts.length > 0 && factList(facts),
            one.supported.length > 0 && html("details", { "data-ecu": one.ecu, open: open.has(one.ecu) },
                html("summary", { "aria-label": text("ecus.answersOf", { ecu: one.ecu, count: one.supported.length }) }, text("ecus.answers", { count: one.supported.length })),
                html("p", { class: "quiet" }, one.supported.map(word.title).sort().join(", "))));
    }

    function update(picture) {
        if (!isNew(picture, picture.vehicle)) return;
        const found = ecus(picture.vehicle);
        const open = new Set([...list.querySelectorAll("details[open]")].map((details) => details.dataset.ecu));
        none.hidden = found.length > 0;
        list.replaceChildren(...found.map((one) => item(one, open)));
    }
    return { node, update };
}
