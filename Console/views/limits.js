// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The exceeded limits, each with its condition and its age.

import { text } from "../model/json.js";
import { exceeded } from "../model/limits.js";
import { fleet, limits as texts, values } from "../texts.en.js";
import { html } from "./elements.js";
import { age } from "./when.js";

export function limitsView() {
    const list = html("ul", { class: "list" });
    const node = html("section", { class: "card limits", "aria-labelledby": "limits-heading" }, html("h3", { id: "limits-heading" }, texts.heading), list);
    let shownContent;

    function update(picture, now) {
        const isCertain = text(picture.status?.clock) !== "unsynchronised";
        const rows = exceeded(picture.limits).map((limit) => ({ ...limit, age: age(limit.since, isCertain, picture.end(now)) }));
        const isPresent = picture.isKnown("availability") && picture.availability === "online";
        const content = `${picture.name} ${isPresent} ${JSON.stringify(rows)}`;
        if (content === shownContent) return;
        shownContent = content;
        node.hidden = rows.length === 0;
        list.replaceChildren(...rows.map((limit) => html("li", {},
            html("p", { class: "line" }, html("strong", {}, values.parameter(limit.name)),
                html("span", { class: "tag", "data-severity": "attention" }, isPresent ? texts.exceeded(limit.age) : fleet.lastKnown(texts.exceeded(limit.age)))),
            html("small", {}, limit.when))));
    }
    return { node, update };
}
