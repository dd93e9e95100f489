// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The choices that hold for every vehicle: the units, and the parts that are shown where there is room for several.

import { parts } from "../parts.js";
import { systems } from "../model/units.js";
import { text } from "../texts.js";
import { field, html } from "./elements.js";

/** @param changed called after each choice */
export function settingsView(choices, changed) {
    const units = html("select", { change: () => keep("units", units.value) }, systems.map((name) => html("option", { value: name }, text(`page.unitSystems.${name}`))));
    units.value = choices.one("units", systems);
    const hidden = new Set(choices.list("hidden"));
    const boxes = parts.map(([name, title]) => {
        const box = html("input", { type: "checkbox", id: `shown-${name}`, change: () => toggle(name, box.checked) });
        box.checked = !hidden.has(name);
        return html("p", { class: "check" }, box, html("label", { for: box.id }, text(title)));
    });
    const node = html("details", { class: "settings", hidden: true, keydown: (event) => event.key === "Escape" && close() },
        html("summary", {}, text("page.settings")),
        html("div", { class: "card" }, field(text("page.units"), units),
            html("div", { class: "chosen", role: "group", "aria-label": text("page.shownParts") }, html("p", { class: "label" }, text("page.shownParts")), boxes)));
    document.addEventListener("pointerdown", (event) => { if (!node.contains(event.target)) node.open = false; });

    function toggle(name, isShown) {
        if (isShown) hidden.delete(name);
        else hidden.add(name);
        keep("hidden", [...hidden]);
    }
    function keep(name, value) {
        choices.keep(name, value);
        changed();
    }
    function close() {
        node.open = false;
        node.querySelector("summary").focus();
    }
    return { node };
}
