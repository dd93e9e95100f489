// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The sent commands with their responses, and the signing key.

import { cleared } from "../model/commands.js";
import { members, text as string, texts as words } from "../model/json.js";
import { importKey, KeyError } from "../model/signing.js";
import { optional, text, word } from "../texts.js";
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

/** What an exchange asks for; what is sent again has the name of what the user wanted. */
export function exchangeName({ command, parameters }) {
    return (command === "resend" && optional(`commands.resent.${parameters?.stream}`)) || commandName(command);
}

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
        html("button", { type: "button", class: "small", "aria-label": text("commands.dismiss"), click: dismiss }, "✕"));
    let [hiding, newest, choice] = [undefined, undefined, 0];
    // Its file could be read again from the page as long as the field has it.
    const file = html("input", { type: "file", accept: ".jwk,.json,application/json", change: () => choose() });
    const held = html("p", { role: "status" }, text("key.none"));
    const drop = html("button", { type: "button", hidden: true, click: () => use(undefined) }, text("key.forget"));
    const node = html("section", { class: "card commands", "aria-labelledby": "commands-heading" },
        html("h3", { id: "commands-heading", tabindex: "-1" }, text("commands.heading")), none, list,
        html("div", { class: "key" }, field(text("key.label"), file, text("key.hint")), held,
            html("div", { class: "actions" }, drop, html("button", { type: "button", click: ask }, text("commands.ask")))));
    /** The rows by command id; commands that were sent again and again share one. */
    const rows = new Map();

    function use(key, from) {
        choice += 1;
        const words = key ? text(key.issuer === key.kid ? "key.use" : "key.useNamed", { issuer: key.issuer, kid: key.kid }) : text("key.none");
        write(held, key ? `${words} ${text("key.from", { file: from })}` : words);
        drop.hidden = !key;
        keyChanged(key);
    }

    async function choose() {
        const chosen = file.files[0];
        if (!chosen) return;
        file.value = "";
        use(undefined);
        const turn = choice;
        try {
            // No key file is longer.
            const key = await importKey(await chosen.slice(0, 65536).text());
            // The user may have left meanwhile.
            if (turn === choice) use(key, chosen.name);
        } catch (error) {
            if (turn !== choice) return;
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

    /** Whether an exchange goes on with the one before, such as the next portion of what was recorded. */
    const isRepeated = ({ command, vehicle }, name) => command === "resend" && newest?.name === name && newest.vehicle === vehicle && newest.node.dataset.state === "succeeded";

    function repeat(exchange, name) {
        newest.count += 1;
        write(newest.title, `${name} (${newest.count})`);
        write(newest.facts, rowFacts(exchange));
        rows.set(exchange.id, newest);
        return newest;
    }

    const rowFacts = (exchange) => `${clock(exchange.lastResponseTime)} · ${exchange.vehicle}`;
    function add(exchange, name) {
        const row = { name, vehicle: exchange.vehicle, count: 1, state: html("span", { class: "state" }), body: html("div") };
        row.title = html("strong", {}, name);
        row.facts = html("small", {}, rowFacts(exchange));
        row.node = html("li", { "data-command": exchange.command }, html("div", { class: "line" }, row.title, row.facts), row.state, row.body);
        rows.set(exchange.id, row);
        list.prepend(row.node);
        newest = row;
        while (list.children.length > limit) {
            const last = list.lastElementChild;
            for (const [id, { node: one }] of rows) if (one === last) rows.delete(id);
            last.remove();
        }
        return row;
    }

    /** Forgets the key and the commands: the user has left the broker. */
    function forget() {
        use(undefined);
        rows.clear();
        list.replaceChildren();
        newest = undefined;
        none.hidden = false;
        dismiss();
    }

    /** Shows an exchange, new or changed. */
    function update(exchange, isOnline) {
        none.hidden = true;
        const name = exchangeName(exchange);
        const row = rows.get(exchange.id) ?? (isRepeated(exchange, name) ? repeat(exchange, name) : add(exchange, name));
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
        if (tone === "good") hiding = setTimeout(dismiss, brief);
    }

    function dismiss() {
        bar.hidden = true;
        write(live, "");
    }
    return { node, bar, update, announce, dismiss, forget };
}
