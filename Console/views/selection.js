// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Selects the polled parameters of a vehicle, and their poll intervals.

import { isInterval, selection } from "../model/commands.js";
import { number } from "../model/json.js";
import { matches } from "../model/values.js";
import { choices, text, word } from "../texts.js";
import { field, html, write } from "./elements.js";

/** @param select called with the arguments of `select_parameters` */
export function selectionView(select) {
    const rows = html("tbody");
    const find = html("input", { type: "search", input: () => filter() });
    const duration = html("select", {}, choices("selection.durations").map(([seconds, label]) => html("option", { value: seconds }, label)));
    const problem = html("p", { class: "problem", role: "alert" });
    const none = html("p", { class: "quiet" }, text("selection.none"));
    const form = html("form", { submit: (event) => { event.preventDefault(); apply(); } },
        field(text("selection.find"), find),
        html("div", { class: "scroll" }, html("table", {},
            html("thead", {}, html("tr", {}, ["parameter", "seconds"].map((column) => html("th", { scope: "col" }, text(`selection.columns.${column}`))))), rows)),
        html("div", { class: "actions" }, field(text("selection.duration"), duration), html("button", { type: "submit", class: "primary" }, text("selection.apply"))),
        problem);
    const node = html("section", { class: "card selection", "aria-labelledby": "selection-heading" },
        html("h3", { id: "selection-heading", tabindex: "-1" }, text("selection.heading")),
        html("details", {}, html("summary", {}, text("selection.open")), none, form));
    let shown = new Map();
    let version;
    let shownContent;

    function row({ name, interval }) {
        const label = word.title(name);
        const box = html("input", { type: "checkbox", "aria-label": text("selection.read", { name: label }) });
        box.checked = interval !== undefined;
        const seconds = html("input", {
            type: "number", min: 0.05, max: 86400, step: "any", inputmode: "decimal", value: interval ?? 5, "aria-label": text("selection.seconds", { name: label }),
        });
        // Input of seconds selects the parameter.
        seconds.addEventListener("input", () => { box.checked = true; });
        const line = html("tr", {}, html("th", { scope: "row" }, html("label", {}, box, " ", label)), html("td", {}, seconds));
        return { label, box, seconds, line };
    }

    function filter() {
        for (const [name, { line, label }] of shown) line.hidden = !matches(find.value.trim(), name, label);
    }

    /** The user's input stays until the vehicle reports another selection. */
    function update(picture) {
        const choices = picture.choices;
        const content = `${picture.name} ${JSON.stringify(choices)}`;
        none.hidden = choices.length > 0;
        form.hidden = choices.length === 0;
        version = number(picture.vehicle?.selection_version);
        if (content === shownContent) return;
        shownContent = content;
        shown = new Map(choices.map((choice) => [choice.name, { ...row(choice), interval: choice.interval }]));
        // Selected parameters come first.
        const order = [...shown.values()].sort((one, other) => Number(other.box.checked) - Number(one.box.checked));
        rows.replaceChildren(...order.map(({ line }) => line));
        write(problem, "");
        filter();
    }

    function apply() {
        const selected = new Map();
        const wish = new Map();
        for (const [name, { label, box, seconds, interval }] of shown) {
            if (interval !== undefined) selected.set(name, interval);
            if (!box.checked) continue;
            if (!isInterval(seconds.valueAsNumber)) {
                write(problem, text("selection.wrong", { name: label }));
                return seconds.focus();
            }
            wish.set(name, seconds.valueAsNumber);
        }
        if (wish.size === 0) return write(problem, text("selection.empty"));
        const order = selection(selected, wish, { duration: Number(duration.value) || undefined, version });
        write(problem, order ? "" : text("selection.unchanged"));
        if (order) select(order);
    }
    return { node, update };
}
