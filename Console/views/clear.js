// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The dialog before a clear: shows what the clear erases, and asks for confirmation.

import { ClearPreview } from "../model/clear.js";
import { list, object, text } from "../model/json.js";
import { clear as texts, values } from "../texts.en.js";
import { html } from "./elements.js";

/** Asks, and if the user confirms, calls `clear` with the arguments of the command. */
export function askToClear(name, report, clear) {
    const preview = new ClearPreview(report);
    const meaning = (code) => {
        const entry = list(object(report).codes).map(object).find((one) => one.code === code);
        return [html("strong", {}, code), ` ${text(entry?.description) ?? ""}`];
    };
    const erased = [
        ...preview.erasable.map((code) => html("li", {}, meaning(code))),
        ...preview.unread.map((state) => html("li", { class: "warning" }, texts.unreadList(state))),
        ...preview.frames.map(({ ecu, code, isRead, unread }) => html("li", { class: isRead && unread.length === 0 ? undefined : "warning" },
            isRead ? texts.frame(ecu, code) + (unread.length > 0 ? texts.framePart(unread.map(values.parameter).join(", ")) : "")
                : texts.frameUnread(ecu))),
        html("li", {}, texts.readiness),
    ];
    if (preview.erasable.length === 0 && preview.unread.length === 0) erased.unshift(html("li", {}, texts.nothing));

    const accepts = html("input", { type: "checkbox", id: "accept-incomplete" });
    const dialog = html("dialog", { class: "card", "aria-labelledby": "clear-heading" },
        html("h2", { id: "clear-heading" }, texts.heading(name)),
        html("p", {}, texts.erases),
        html("ul", { class: "erased" }, erased),
        preview.permanent.length > 0 && html("p", {}, texts.permanent(preview.permanent.join(", "))),
        html("p", { class: "quiet" }, texts.guard),
        preview.isIncomplete && html("p", { class: "check" }, accepts, html("label", { for: accepts.id }, texts.incomplete)),
        html("div", { class: "actions" },
            html("button", { type: "button", autofocus: true, click: () => dialog.close() }, texts.cancel),
            html("button", {
                type: "button",
                class: "danger",
                click: () => {
                    dialog.close();
                    clear(preview.arguments({ acceptsIncomplete: accepts.checked }));
                },
            }, texts.confirm(preview.erasable))));
    const focus = document.activeElement;
    dialog.addEventListener("close", () => {
        dialog.remove();
        focus?.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
}
