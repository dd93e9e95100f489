// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Puts the shown vehicle on paper, or the list of vehicles: what is printed is in the page only while the browser prints.

import { text } from "./texts.js";
import { html } from "./views/elements.js";
import { report } from "./views/report.js";

/**
 * @param shown gives the vehicle to print with the present time; undefined while the page shows none
 * @param listed gives the list as an article; undefined while the page shows none
 */
export function paper(shown, listed) {
    let sheet;
    const remove = () => {
        sheet?.remove();
        sheet = undefined;
        document.body.classList.remove("on-paper");
    };
    /** The sheet; the page on paper would look like a report, with values that look live. */
    function made() {
        try {
            const found = shown();
            return found ? report(found.picture, { ...found, printed: Date.now() }) : listed();
        } catch (error) {
            console.error(error);
            return html("article", { class: "report" }, html("p", {}, text("page.broken")));
        }
    }
    window.addEventListener("beforeprint", () => {
        remove();
        sheet = made();
        if (!sheet) return;
        document.body.append(sheet);
        document.body.classList.add("on-paper");
    });
    window.addEventListener("afterprint", remove);
}
