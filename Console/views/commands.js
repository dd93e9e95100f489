// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The sent commands with their responses, and the signing key.

import { cleared } from "../model/commands.js";
import { members, text as string, texts as words } from "../model/json.js";
import { importKey, KeyError } from "../model/signing.js";
import { text, word } from "../texts.js";
import { field, html, write } from "./elements.js";
import { clock } from "./when.js";

/** The time for which a success is shown, in milliseconds. */
const brief = 8_000;
/** The number of shown commands. */
const limit = 20;

/** A command's name for people. */
export const commandName = (command) => word.phrase("command", command);
/** A reason of the contract in words; one that the page does not know as it is. */
export const reasonWords = (reason) => word.term(`reason.${reason}`) ?? reason;

/** An exchange as text, and the name of its color. */
export function outcome(exchange, isOnline) {
    const { state, answer } = exchange;
    if (state === "sending") return { words: text("commands.sending"), tone: "rest" };
    if (state === "unsent") return { words: exchange.isForbidden ? text("commands.notPermitted") : text("commands.notSent"), tone: "bad" };
    if (state === "sent" && exchange.isDoubtful) return { words: text("commands.doubtful"), tone: "bad" };
    if (state === "sent") return { words: isOnline ? text("commands.sent") : text("commands.sentOffline", { until: clock(exchange.expires) }), tone: "rest" };
    if (state === "doubted") return { words: text("commands.doubted"), tone: "bad" };
    if (state === "unanswered") return { words: text("commands.unanswered"), tone: "bad" };
    if (state === "running" && answer.progress) {
        return { words: text("commands.progress", { step: answer.progress.step ?? "?", steps: answer.progress.steps ?? "?", doing: answer.progress.doing }), tone: "rest" };
    }
    const said = word.term(`answer.${state}`) ?? state;
    // A command that succeeded has a reason if its result is missing.
    if (state !== "failed" && state !== "refused" && !answer.reason) return { words: said, tone: state === "succeeded" ? "good" : "rest" };
    const reason = answer.reason ? reasonWords(answer.reason) : undefined;
    return { words: [said, reason].filter(Boolean).join(": "), tone: "bad" };
}

export function commandsView({ keyChanged, ask }) {
    const list = html("ol", { class: "log" });
    const none = html("p", { class: "quiet" }, text("commands.none"));
    const live = html("p", { class: "live", role: "status" });
    const bar = html("div", { class: "toast", hidden: true }, live,
        html("button", { type: "button", class: "small", "aria-label": text("commands.dismiss"), click: () => { bar.hidden = true; } }, "✕"));
    let hiding;
    const file = html("input", { type: "file", accept: ".jwk,.json,application/json", change: () => choose() });
    const held = html("p", { role: "status" }, text("key.none"));
    const forget = html("button", { type: "button", hidden: true, click: () => use(undefined) }, text("key.forget"));
    const node = html("section", { class: "card commands", "aria-labelledby": "commands-heading" },
        html("h3", { id: "commands-heading", tabindex: "-1" }, text("commands.heading")), none, list,
        html("div", { class: "key" }, field(text("key.label"), file, text("key.hint")), held,
            html("div", { class: "actions" }, forget, html("button", { type: "button", click: ask }, text("commands.ask")))));
    const rows = new Map();

    function use(key) {
        write(held, key ? text(key.issuer === key.kid ? "key.use" : "key.useNamed", { issuer: key.issuer, kid: key.kid }) : text("key.none"));
        forget.hidden = !key;
        if (!key) file.value = "";
        keyChanged(key);
    }

    async function choose() {
        if (file.files.length === 0) return use(undefined);
        try {
            // No key file is longer.
            use(await importKey(await file.files[0].slice(0, 65536).text()));
        } catch (error) {
            use(undefined);
            write(held, text(`key.problems.${error instanceof KeyError ? error.reason : "malformed"}`));
        }
    }

    /** The further lines of a response, besides its state. */
    function details(exchange) {
        const { answer, command, state } = exchange;
        if (!answer) return [];
        const lines = [];
        if (answer.message) lines.push(html("p", {}, answer.message));
        if (["unsigned", "role_insufficient"].includes(answer.reason) && exchange.issuer === undefined) {
            lines.push(html("p", { class: "warning" }, text("commands.unsignedHint")));
        }
        if (command === "clear_codes" && (state === "succeeded" || state === "failed")) {
            for (const [name, entries] of members(cleared(answer.result))) {
                for (const { code, ecu, reason } of entries) {
                    lines.push(html("p", {}, html("strong", {}, `${text(`clear.results.${name}`)}: `), [code, ecu, reason && reasonWords(reason)].filter(Boolean).join(" · ")));
                }
            }
        }
        if (state === "succeeded" && answer.reason) return lines;
        if (command === "describe" && state === "succeeded") {
            lines.push(html("p", {}, text("commands.allowed", { names: words(answer.result.commands).map(commandName).join(", "), role: string(answer.result.unsigned_role) ?? "?" })));
        }
        if (command === "select_parameters" && state === "succeeded") {
            const missing = words(answer.result.unsupported);
            if (missing.length > 0) lines.push(html("p", {}, text("commands.missing", { names: missing.map(word.title).join(", ") })));
        }
        return lines;
    }

    /** Shows an exchange, new or changed. */
    function update(exchange, isOnline) {
        none.hidden = true;
        const name = commandName(exchange.command);
        let row = rows.get(exchange.id);
        if (!row) {
            row = { state: html("span", { class: "state" }), body: html("div") };
            row.node = html("li", { "data-command": exchange.command, "data-id": exchange.id },
                html("div", { class: "line" }, html("strong", {}, name), html("small", {}, `${clock(exchange.lastResponseTime)} · ${exchange.vehicle}`)), row.state, row.body);
            rows.set(exchange.id, row);
            list.prepend(row.node);
            while (list.children.length > limit) {
                rows.delete(list.lastElementChild.dataset.id);
                list.lastElementChild.remove();
            }
        }
        const { words: state, tone } = outcome(exchange, isOnline);
        row.node.dataset.state = exchange.state;
        row.state.dataset.tone = tone;
        write(row.state, state);
        row.body.replaceChildren(...details(exchange));
        announce(`${name}: ${state}`, tone);
    }

    /** Shows a message that stays visible at any scroll position. A success disappears by itself. */
    function announce(words, tone = "rest") {
        bar.hidden = false;
        live.dataset.tone = tone;
        write(live, words);
        clearTimeout(hiding);
        if (tone === "good") hiding = setTimeout(() => { bar.hidden = true; }, brief);
    }
    return { node, bar, update, announce };
}
