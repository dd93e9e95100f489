// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The dialog before a clear: shows what the clear erases, and asks for confirmation.

import { ClearPreview } from "../model/clear.js";
import { list, object, text as string } from "../model/json.js";
import { text, word } from "../texts.js";
import { stateWord } from "./codes.js";
import { reasonWords } from "./commands.js";
import { html, write } from "./elements.js";

/** The time between two looks at whether the agent would refuse, in milliseconds. */
const pace = 250;

/** The words of the button: up to three codes are named. */
const confirmWords = (codes) => (codes.length === 0 || codes.length > 3
    ? text("clear.confirmMany", { count: codes.length }) : text("clear.confirm", { codes: codes.join(", ") }));

/** What keeps the user from a clear now, in words. */
const hindranceWords = ({ reason, state }) => (reason === undefined ? text(`clear.stopped.${state}`) : text("clear.refused", { reason: reasonWords(reason) }));

/**
 * Asks, and if the user confirms, calls `clear` with the arguments of the command.
 *
 * @param hindrance gives what keeps the user from it now: a `reason` of the agent, or a `state` of the page; undefined if nothing does
 * @param closed called once the dialog is closed
 * @returns what closes the dialog without a clear
 */
export function askToClear({ name, report, hindrance, closed }, clear) {
    const preview = new ClearPreview(report);
    const frameWords = (ecu, code, unread) => {
        const frame = text("clear.frame", { ecu, code: code ?? text("clear.frameCode") });
        return unread.length === 0 ? frame : text("clear.framePart", { frame, names: unread.map(word.title).join(", ") });
    };
    const meaning = (code) => {
        const entry = list(object(report).codes).map(object).find((one) => one.code === code);
        return html("li", {}, html("strong", {}, code), ` ${word.meaning(string(entry?.description))}`);
    };
    const erased = [
        ...preview.gone.map(meaning),
        ...preview.unread.map((state) => html("li", { class: "warning" }, text("clear.unreadList", { state: stateWord(state) }))),
        ...preview.frames.map(({ ecu, code, isRead, unread }) => html("li", { class: isRead && unread.length === 0 ? undefined : "warning" },
            isRead ? frameWords(ecu, code, unread) : text("clear.frameUnread", { ecu }))),
        html("li", {}, text("clear.readiness")),
    ];
    if (preview.gone.length === 0 && preview.unread.length === 0) erased.unshift(html("li", {}, text("clear.nothing")));

    const accepts = html("input", { type: "checkbox", id: "accept-incomplete" });
    const problem = html("p", { class: "notice", id: "clear-refusal", role: "status" });
    const confirm = html("button", {
        type: "button",
        class: "danger",
        "aria-describedby": problem.id,
        click: () => {
            // What has changed since the last look counts, too.
            look();
            if (confirm.disabled) return;
            dialog.close();
            clear(preview.arguments({ acceptsIncomplete: accepts.checked }));
        },
    }, confirmWords(preview.gone));
    const dialog = html("dialog", { class: "card", "aria-labelledby": "clear-heading" },
        html("h2", { id: "clear-heading" }, text("clear.heading", { name })),
        // Only this part scrolls, so the dialog opens at its top with the buttons in sight.
        html("div", { class: "body", tabindex: "0", role: "group", "aria-labelledby": "clear-heading" },
            html("p", {}, text("clear.erases")),
            html("ul", { class: "erased" }, erased),
            preview.permanent.length > 0 && [html("p", {}, text("clear.permanent")), html("ul", { class: "erased" }, preview.permanent.map(meaning))],
            html("p", { class: "quiet" }, text("clear.guard")),
            preview.isIncomplete && html("p", { class: "check" }, accepts, html("label", { for: accepts.id }, text("clear.incomplete")))),
        problem,
        html("div", { class: "actions" },
            html("button", { type: "button", autofocus: true, click: () => dialog.close() }, text("clear.cancel")), confirm));

    function look() {
        const found = hindrance();
        confirm.disabled = found !== undefined;
        problem.hidden = found === undefined;
        write(problem, found === undefined ? "" : hindranceWords(found));
    }
    look();
    const timer = setInterval(look, pace);
    const focus = document.activeElement;
    dialog.addEventListener("close", () => {
        clearInterval(timer);
        dialog.remove();
        focus?.focus();
        closed();
    });
    document.body.append(dialog);
    dialog.showModal();
    return () => dialog.close();
}
