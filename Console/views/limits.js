// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The exceeded limits, each with its condition and its age.

import { text as words } from "../model/json.js";
import { exceeded } from "../model/limits.js";
import { text, word } from "../texts.js";
import { html } from "./elements.js";
import { age } from "./when.js";

/** The exceeded limits with the words for their ages, which tell if they are only the last known ones. */
export function limitRows(picture, now) {
    const isCertain = words(picture.status?.clock) !== "unsynchronised";
    const isPresent = picture.isKnown("availability") && picture.availability === "online";
    return exceeded(picture.limits).map((limit) => {
        const state = text("limits.exceeded", { age: age(limit.since, isCertain, picture.end(now)) });
        return { ...limit, title: word.title(limit.name), state: isPresent ? state : text("fleet.lastKnown", { word: state }) };
    });
}

export function limitsView() {
    const list = html("ul", { class: "list" });
    const node = html("section", { class: "card limits", "aria-labelledby": "limits-heading" },
        html("h3", { id: "limits-heading", tabindex: "-1" }, text("limits.heading")), list);
    let shownContent;

    function update(picture, now) {
        const rows = limitRows(picture, now);
        const content = `${picture.name} ${JSON.stringify(rows)}`;
        if (content === shownContent) return;
        shownContent = content;
        node.hidden = rows.length === 0;
        list.replaceChildren(...rows.map((limit) => html("li", {},
            html("p", { class: "line" }, html("strong", {}, limit.title), html("span", { class: "tag", "data-severity": "attention" }, limit.state)),
            html("small", {}, limit.when))));
    }
    return { node, update };
}
