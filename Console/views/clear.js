// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The dialog before a clear: shows what the clear erases, and asks for confirmation.

import { ClearPreview } from "../model/clear.js";
import { list, object, text } from "../model/json.js";
import { clear as texts, reasons, values } from "../texts.en.js";
import { html, write } from "./elements.js";

/** The time between two looks at whether the agent would refuse, in milliseconds. */
const pace = 250;

/**
 * Asks, and if the user confirms, calls `clear` with the arguments of the command.
 *
 * @param refusal gives the reason for which the agent would refuse now; undefined if none is known
 */
export function askToClear({ name, report, refusal }, clear) {
    const preview = new ClearPreview(report);
    const meaning = (code) => {
        const entry = list(object(report).codes).map(object).find((one) => one.code === code);
        return html("li", {}, html("strong", {}, code), ` ${text(entry?.description) ?? ""}`);
    };
    const erased = [
        ...preview.gone.map(meaning),
        ...preview.unread.map((state) => html("li", { class: "warning" }, texts.unreadList(state))),
        ...preview.frames.map(({ ecu, code, isRead, unread }) => html("li", { class: isRead && unread.length === 0 ? undefined : "warning" },
            isRead ? texts.frame(ecu, code) + (unread.length > 0 ? texts.framePart(unread.map(values.parameter).join(", ")) : "")
                : texts.frameUnread(ecu))),
        html("li", {}, texts.readiness),
    ];
    if (preview.gone.length === 0 && preview.unread.length === 0) erased.unshift(html("li", {}, texts.nothing));

    const accepts = html("input", { type: "checkbox", id: "accept-incomplete" });
    const problem = html("p", { class: "notice", id: "clear-refusal", role: "status" });
    const confirm = html("button", {
        type: "button",
        class: "danger",
        "aria-describedby": problem.id,
        click: () => {
            dialog.close();
            clear(preview.arguments({ acceptsIncomplete: accepts.checked }));
        },
    }, texts.confirm(preview.gone));
    const dialog = html("dialog", { class: "card", "aria-labelledby": "clear-heading" },
        html("h2", { id: "clear-heading" }, texts.heading(name)),
        // Only this part scrolls, so the dialog opens at its top with the buttons in sight.
        html("div", { class: "body", tabindex: "0", role: "group", "aria-labelledby": "clear-heading" },
            html("p", {}, texts.erases),
            html("ul", { class: "erased" }, erased),
            preview.permanent.length > 0 && [html("p", {}, texts.permanent), html("ul", { class: "erased" }, preview.permanent.map(meaning))],
            html("p", { class: "quiet" }, texts.guard),
            preview.isIncomplete && html("p", { class: "check" }, accepts, html("label", { for: accepts.id }, texts.incomplete))),
        problem,
        html("div", { class: "actions" },
            html("button", { type: "button", autofocus: true, click: () => dialog.close() }, texts.cancel), confirm));

    function look() {
        const reason = refusal();
        confirm.disabled = reason !== undefined;
        problem.hidden = reason === undefined;
        write(problem, reason === undefined ? "" : texts.refused(reasons[reason]));
    }
    look();
    const timer = setInterval(look, pace);
    const focus = document.activeElement;
    dialog.addEventListener("close", () => {
        clearInterval(timer);
        dialog.remove();
        focus?.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
}
