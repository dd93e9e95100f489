// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Keeps the failure of one view from the others. No view should fail at any message; if one does, the rest of the page goes on.

import { text } from "../texts.js";
import { afresh, html } from "./elements.js";

/** A view in whose place a notice stands while its update fails: what it showed before would look like the present. */
export function guarded(view) {
    const notice = html("p", { class: "notice", role: "status" }, text("page.broken"));
    let isBroken = false;

    function update(...values) {
        try {
            if (isBroken) afresh(() => view.update(...values));
            else view.update(...values);
            if (isBroken) notice.replaceWith(view.node);
            isBroken = false;
        } catch (error) {
            // Once, not at each redraw.
            if (!isBroken) console.error(error);
            if (!isBroken) view.node.replaceWith(notice);
            isBroken = true;
        }
    }
    return { ...view, update };
}
