// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The vehicle's identity and state.

import { age, lamps, limit } from "../model/age.js";
import { text, time } from "../model/json.js";
import { codes, finding, fleet, commands, history, lamp, readiness, selection, values, vehicle as texts } from "../texts.en.js";
import { html, write } from "./elements.js";
import { ago, since } from "./when.js";

const sections = {
    values: values.heading, history: history.heading, selection: selection.heading, codes: codes.heading,
    readiness: readiness.heading, finding: finding.heading, commands: commands.heading,
};

export function headerView({ wake, back }) {
    const title = html("h2", { id: "vehicle-heading", tabindex: "-1" });
    const kind = html("span", { class: "tag" }, fleet.simulated);
    const mil = html("span", { class: "lamp" });
    const notice = html("p", { class: "notice", role: "status" });
    const wakeButton = html("button", { type: "button", click: wake }, texts.wake);
    const backButton = html("button", { type: "button", class: "back", click: back });
    const lights = html("ul", { class: "lights", "aria-label": texts.lamps });
    const shownLamps = new Map(Object.entries(texts.lampNames).map(([name, label]) => {
        const parts = { dot: html("span", { class: "dot", "aria-hidden": "true" }), state: html("span") };
        parts.item = html("li", { "data-lamp": name }, parts.dot, html("span", {}, html("small", {}, `${label}: `), parts.state));
        lights.append(parts.item);
        return [name, parts];
    }));
    const facts = html("dl", { class: "facts" });
    const cells = new Map(Object.entries(texts.facts).map(([name, label]) => {
        const value = html("dd");
        const cell = html("div", {}, html("dt", {}, label), value);
        facts.append(cell);
        return [name, { cell, value }];
    }));
    const isWide = window.matchMedia("(min-width: 821px)").matches;
    const about = html("details", { class: "about", open: isWide }, html("summary", {}, texts.about), facts);
    const places = html("nav", { class: "places", "aria-label": texts.places },
        Object.entries(sections).map(([place, words]) => html("a", { href: `#${place}-heading` }, words)));
    const node = html("header", { class: "card who" }, backButton,
        html("div", { class: "line" }, title, kind, mil), lights, notice, wakeButton, about, places);
    let isConnected = false;

    /** Shows the number of vehicles in the list, and whether the page is connected to the broker. */
    function count(vehicles, connected) {
        isConnected = connected;
        write(backButton, texts.back(vehicles));
    }

    function update(picture, now) {
        write(title, picture.name);
        kind.hidden = !picture.isSimulated;
        showLamps(picture);
        const lit = picture.mil === undefined ? "unknown" : picture.mil ? "on" : "off";
        const isPresent = picture.isObserved || lit === "unknown";
        write(mil, isPresent ? lamp[lit] : fleet.lastKnown(lamp[lit]));
        mil.dataset.lit = isPresent ? lit : "unknown";
        const words = problems(picture);
        write(notice, words.join(" "));
        notice.hidden = words.length === 0;
        const isOnline = isConnected && picture.availability === "online";
        wakeButton.hidden = picture.isParked !== true || !isOnline;
        const known = {
            vin: picture.vin === picture.name ? undefined : picture.vin,
            protocol: text(picture.vehicle?.protocol) ?? text(picture.status?.protocol),
            adapter: picture.adapter,
            voltage: voltage(picture, now),
            version: text(picture.status?.version),
            lastSeen: isOnline || picture.lastSeen === undefined ? undefined : ago(picture.lastSeen, now),
        };
        for (const [name, { cell, value }] of cells) {
            write(value, known[name] ?? "");
            cell.hidden = !known[name];
        }
    }

    function showLamps(picture) {
        for (const { name, state, tone, isPresent } of lamps(picture, isConnected)) {
            const { item, dot, state: words } = shownLamps.get(name);
            const word = texts.lampStates[name][state] ?? state;
            write(words, isPresent || state === "unknown" ? word : fleet.lastKnown(word));
            item.dataset.present = String(isPresent);
            dot.dataset.tone = tone;
        }
    }

    function problems(picture) {
        if (!isConnected) return [texts.disconnected];
        if (picture.availability === "offline") return [texts.offline];
        const words = [];
        if (picture.isParked === true) words.push(texts.parked);
        else if (!picture.isConfirmed && picture.vehicle) words.push(texts.unconfirmed);
        if (picture.problem && picture.availability === "online") words.push(picture.problem);
        return words;
    }

    /** The voltage; with its age unless it was just measured. */
    function voltage(picture, now) {
        if (picture.voltage === undefined) return undefined;
        const found = age({ isRetained: true, time: time(picture.status?.battery?.time), quality: text(picture.status?.clock) }, now);
        const volts = texts.volts(picture.voltage);
        return picture.isObserved && found <= limit(picture, "supply_voltage") ? volts : `${volts}, ${since(found, now)}`;
    }
    return { node, update, count, title };
}
