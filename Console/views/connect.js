// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The connection form, which a visitor sees first.

import { isPrefix } from "../model/topics.js";
import { connect as texts } from "../texts.en.js";
import { field, html, write } from "./elements.js";

/** @param open called with the broker's address, prefix, name and password */
export function connectView(location, open) {
    const isSecure = location.protocol === "https:";
    const host = location.host;
    const input = (attributes) => html("input", { autocapitalize: "none", spellcheck: "false", ...attributes });
    const name = input({ autocomplete: "username" });
    const password = input({ type: "password", autocomplete: "current-password" });
    const prefix = input({ value: "obd", required: true });
    const path = input({ value: "/", required: true });
    const problem = html("p", { class: "problem", role: "alert" });
    const button = html("button", { type: "submit", class: "primary" }, texts.button);

    const submit = (event) => {
        event.preventDefault();
        if (!isPrefix(prefix.value)) return fail(texts.wrongPrefix);
        write(problem, "");
        button.disabled = true;
        write(button, texts.connecting);
        open({
            protocol: isSecure ? "wss" : "ws",
            hostname: location.hostname,
            port: Number(location.port) || (isSecure ? 443 : 80),
            path: path.value.startsWith("/") ? path.value : `/${path.value}`,
            prefix: prefix.value,
            username: name.value,
            password: password.value,
        });
    };
    const form = html("form", { class: "card connect", submit },
        html("h2", {}, texts.heading),
        html("p", { class: "lead" }, texts.intro),
        html("p", { class: "broker" }, `${texts.broker}: `, html("strong", {}, host)),
        field(texts.name, name, texts.optional),
        field(texts.password, password, isSecure || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname) ? undefined : texts.insecure),
        html("details", {}, html("summary", {}, texts.more), field(texts.prefix, prefix), field(texts.path, path)),
        problem,
        button);
    if (!/^https?:$/.test(location.protocol)) {
        button.disabled = true;
        write(problem, texts.fromFile);
    }

    function fail(words) {
        write(problem, words);
        ready();
    }
    function ready() {
        button.disabled = false;
        write(button, texts.button);
    }
    return { node: form, button, host, fail, ready };
}
