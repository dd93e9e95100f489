// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The vehicle's name and state.

import { listAddress } from "../model/address.js";
import { lamps, lead } from "../model/age.js";
import { supply } from "../model/supply.js";
import { choices, decimal, optional, text } from "../texts.js";
import { html, set, write } from "./elements.js";
import { sent, since } from "./when.js";

/** The age up to which a voltage needs none beside it, in milliseconds: it changes at once when the engine starts or stops. */
const fresh = 10_000;

export function headerView({ wake, print }) {
    const title = html("h2", { id: "vehicle-heading", tabindex: "-1" });
    const kind = html("span", { class: "tag" }, text("fleet.simulated"));
    const mil = html("span", { class: "lamp" });
    const notice = html("p", { class: "notice", role: "status" });
    const wakeButton = html("button", { type: "button", click: wake }, text("vehicle.wake"));
    const printButton = html("button", { type: "button", class: "small print", click: print }, text("report.print"));
    const back = html("a", { class: "back", href: "#/" });
    const facts = html("p", { class: "quiet facts" });
    const lights = html("ul", { class: "lights", "aria-label": text("vehicle.lamps") });
    const shownLamps = new Map(choices("vehicle.lampNames").map(([name, label]) => {
        const parts = { dot: html("span", { class: "dot", "aria-hidden": "true" }), state: html("span") };
        parts.item = html("li", { "data-lamp": name }, parts.dot, html("span", {}, html("small", {}, `${label}: `), parts.state));
        lights.append(parts.item);
        return [name, parts];
    }));
    const node = html("header", { class: "card who" }, back, html("div", { class: "line" }, title, kind, mil, printButton), lights, facts, notice, wakeButton);
    let isConnected = false;

    /** Shows the way back to the list, and whether the page is connected to the broker. */
    function count(vehicles, connected, query) {
        isConnected = connected;
        write(back, text("vehicle.back", { count: vehicles }));
        set(back, "href", listAddress(query));
    }

    function update(picture, now) {
        write(title, picture.name);
        kind.hidden = !picture.isSimulated;
        showLamps(picture);
        const lit = picture.mil === undefined ? "unknown" : picture.mil ? "on" : "off";
        const isPresent = picture.isObserved || lit === "unknown";
        write(mil, isPresent ? text(`lamp.${lit}`) : text(`lampLast.${lit}`));
        mil.dataset.lit = isPresent ? lit : "unknown";
        const words = problems(picture);
        write(notice, words.join(" "));
        notice.hidden = words.length === 0;
        const isOnline = isConnected && picture.availability === "online";
        wakeButton.hidden = picture.isParked !== true || !isOnline;
        const known = {
            vin: picture.vin === picture.name ? undefined : picture.vin,
            voltage: voltage(picture, now),
            lastSeen: isOnline || picture.lastSeen === undefined ? undefined : sent(picture, picture.lastSeen, now),
        };
        write(facts, Object.entries(known).filter(([, value]) => value).map(([name, value]) => `${text(`vehicle.facts.${name}`)}: ${value}`).join(" · "));
        facts.hidden = facts.textContent === "";
    }

    function showLamps(picture) {
        for (const { name, state, tone, isPresent } of lamps(picture, isConnected)) {
            const { item, dot, state: words } = shownLamps.get(name);
            const word = optional(`vehicle.lampStates.${name}.${state}`) ?? state;
            write(words, isPresent || state === "unknown" ? word : text("fleet.lastKnown", { word }));
            item.dataset.present = String(isPresent);
            dot.dataset.tone = tone;
        }
    }

    function problems(picture) {
        if (!isConnected) return [text("vehicle.disconnected")];
        if (picture.availability === "offline") return [text("vehicle.offline")];
        const words = [];
        if (picture.isNewer) words.push(text("vehicle.newer"));
        if (picture.isClockCertain && Math.abs(picture.ahead) > lead) words.push(text("vehicle.clocks", { count: Math.round(Math.abs(picture.ahead) / 60_000) }));
        if (picture.isParked === true) words.push(text("vehicle.parked"));
        else if (!picture.isConfirmed && picture.vehicle) words.push(text("vehicle.unconfirmed"));
        if (picture.problem && picture.availability === "online") words.push(picture.problem);
        return words;
    }

    /** The voltage; with its age unless it was just measured. */
    function voltage(picture, now) {
        const found = supply(picture, now);
        if (found === undefined) return undefined;
        const volts = text("vehicle.volts", { volts: decimal(found.volts, 1, true) });
        return picture.isObserved && found.age <= fresh ? volts : `${volts}, ${since(found.age, now)}`;
    }
    return { node, update, count, title };
}
