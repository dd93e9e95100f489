// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Puts the shown vehicle on paper: its report is in the page only while the browser prints.

import { report } from "./views/report.js";

/** @param shown gives the vehicle to print with the present time; undefined while the page shows none */
export function paper(shown) {
    let sheet;
    const remove = () => {
        sheet?.remove();
        sheet = undefined;
        document.body.classList.remove("on-paper");
    };
    window.addEventListener("beforeprint", () => {
        remove();
        const found = shown();
        if (!found) return;
        sheet = report(found.picture, { ...found, printed: Date.now() });
        document.body.append(sheet);
        document.body.classList.add("on-paper");
    });
    window.addEventListener("afterprint", remove);
}
