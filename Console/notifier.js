// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Notifications of the browser: a thin shell around its interface. Nothing is asked or shown until the user has switched them on.

import { Notices } from "./model/notices.js";
import { text } from "./texts.js";
import { eventWords } from "./views/events.js";

/** The largest number of characters of a notification's title and of its text. */
const limit = 160;

/**
 * @param open called with the vehicle of the notification that the user has clicked
 * @param changed called when the user has switched them on or off, or chosen other kinds
 */
export function notifier({ open, changed }, browser = globalThis) {
    const notices = new Notices();
    let isUsable = true;
    const isThere = () => isUsable && browser.isSecureContext === true && typeof browser.Notification === "function";

    /** `unavailable`, `denied`, `on` or `off`. */
    function state() {
        if (!isThere()) return "unavailable";
        if (browser.Notification.permission === "denied") return "denied";
        return notices.isOn && browser.Notification.permission === "granted" ? "on" : "off";
    }

    /** Switches the notifications; the browser asks the user the first time. A first one shows that they come. */
    async function change(isOn) {
        if (isOn && isThere() && browser.Notification.permission === "default") await browser.Notification.requestPermission();
        notices.isOn = isOn && isThere() && browser.Notification.permission === "granted";
        if (notices.isOn) show(text("events.switched"), { body: text("events.states.on"), tag: "switched" });
        changed();
    }

    /**
     * Takes up what the user had chosen at an earlier visit. The browser is asked nothing.
     *
     * @param kinds the chosen kinds, perhaps none; undefined if the user has not chosen
     */
    function resume(isOn, kinds) {
        notices.isOn = isOn && isThere() && browser.Notification.permission === "granted";
        if (kinds === undefined) return;
        notices.kinds = new Set();
        for (const kind of kinds) notices.choose(kind, true);
    }

    function show(title, { body, tag }, vehicle) {
        try {
            const shown = new browser.Notification(title.slice(0, limit), { body: body.slice(0, limit), tag });
            shown.onclick = () => {
                browser.focus();
                shown.close();
                if (vehicle !== undefined) open(vehicle);
            };
        } catch {
            // Browsers of phones have the interface, and let no page use it.
            isUsable = false;
            notices.isOn = false;
        }
    }

    /** Takes a new event of any vehicle. */
    function receive(event, now, isAgain) {
        if (state() !== "on") return;
        const action = notices.receive(event, now, { isAgain });
        if (action?.event) {
            const { title, details } = eventWords(event);
            // Another event of this kind replaces the notification.
            show(`${event.vehicle}: ${title}`, { body: details, tag: `${event.vehicle}/${event.kind}` }, event.vehicle);
        } else if (action?.count) {
            show(text("events.others", { count: action.count }), { body: "", tag: "others" });
        }
    }

    function choose(kind, isWanted) {
        notices.choose(kind, isWanted);
        changed();
    }
    return { state, kinds: () => notices.kinds, switch: change, choose, resume, receive };
}
