// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The vehicle's identity and state.

import { text } from "../model/json.js";
import { codes, commands, finding, fleet, history, lamp, readiness, selection, values, vehicle as texts } from "../texts.en.js";
import { html, write } from "./elements.js";
import { presence } from "./fleet.js";
import { ago } from "./when.js";

const sections = {
    values: values.heading, history: history.heading, selection: selection.heading, codes: codes.heading,
    readiness: readiness.heading, finding: finding.heading, commands: commands.heading,
};

export function headerView(wake) {
    const title = html("h2", { id: "vehicle-heading", tabindex: "-1" });
    const dot = html("span", { class: "dot", "aria-hidden": "true" });
    const state = html("span");
    const mil = html("span", { class: "lamp" });
    const notice = html("p", { class: "notice", role: "status" });
    const button = html("button", { type: "button", click: wake }, texts.wake);
    const facts = html("dl", { class: "facts" });
    const cells = new Map(Object.entries(texts.facts).map(([name, label]) => {
        const value = html("dd");
        const cell = html("div", {}, html("dt", {}, label), value);
        facts.append(cell);
        return [name, { cell, value }];
    }));
    const places = html("nav", { class: "places", "aria-label": texts.places },
        Object.entries(sections).map(([place, words]) => html("a", { href: `#${place}-heading` }, words)));
    const node = html("header", { class: "card who" },
        html("div", { class: "line" }, title, html("span", { class: "pill" }, dot, state), mil), notice, button, facts, places);

    function update(picture, now) {
        const { word, tone } = presence(picture);
        write(title, picture.name);
        write(state, picture.isSimulated ? `${word}, ${fleet.simulated}` : word);
        dot.dataset.tone = tone;
        const lit = picture.mil === undefined ? "unknown" : picture.mil ? "on" : "off";
        write(mil, lamp[lit]);
        mil.dataset.lit = lit;
        const words = [];
        if (picture.availability === "offline") words.push(texts.offline);
        else if (picture.isParked === true) words.push(texts.parked);
        else if (!picture.isConfirmed && picture.vehicle) words.push(texts.unconfirmed);
        if (picture.problem && picture.availability === "online") words.push(picture.problem);
        write(notice, words.join(" "));
        notice.hidden = words.length === 0;
        button.hidden = picture.isParked !== true || picture.availability !== "online";
        const link = [texts.links[picture.link] ?? picture.link, picture.ignition && texts.ignition(picture.ignition)];
        const known = {
            vin: picture.vin === picture.name ? undefined : picture.vin,
            protocol: text(picture.vehicle?.protocol) ?? text(picture.status?.protocol),
            adapter: picture.adapter,
            voltage: picture.voltage === undefined ? undefined : `${picture.voltage.toFixed(1)} V`,
            version: text(picture.status?.version),
            lastSeen: picture.availability === "online" || picture.lastSeen === undefined ? undefined : ago(picture.lastSeen, now),
            link: picture.availability === "online" ? link.filter(Boolean).join(", ") : undefined,
        };
        for (const [name, { cell, value }] of cells) {
            write(value, known[name] ?? "");
            cell.hidden = !known[name];
        }
    }
    return { node, update, title };
}
