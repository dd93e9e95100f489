// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The connection form, which a visitor sees first.

import { languages, nameOf } from "../languages.js";
import { isPrefix } from "../model/topics.js";
import { currentLanguage, text } from "../texts.js";
import { field, html, write } from "./elements.js";

/**
 * @param open called with the broker's address, prefix, name and password
 * @param speak called with the language that the user chooses
 */
export function connectView(location, open, speak) {
    const isSecure = location.protocol === "https:";
    const host = location.host;
    const input = (attributes) => html("input", { autocapitalize: "none", spellcheck: "false", ...attributes });
    const name = input({ autocomplete: "username" });
    const password = input({ type: "password", autocomplete: "current-password" });
    const prefix = input({ value: "obd", required: true });
    const path = input({ value: "/", required: true });
    const problem = html("p", { class: "problem", role: "alert" });
    const button = html("button", { type: "submit", class: "primary" }, text("connect.button"));
    const language = html("select", { change: () => speak(language.value) }, languages.map((one) => html("option", { value: one, lang: one }, nameOf(one))));
    language.value = currentLanguage();

    const submit = (event) => {
        event.preventDefault();
        if (!isPrefix(prefix.value)) return fail(text("connect.wrongPrefix"));
        write(problem, "");
        button.disabled = true;
        write(button, text("connect.connecting"));
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
        html("h2", {}, text("connect.heading")),
        html("p", { class: "lead" }, text("connect.intro")),
        html("p", { class: "broker" }, `${text("connect.broker")}: `, html("strong", {}, host)),
        field(text("connect.name"), name, text("connect.optional")),
        field(text("connect.password"), password, isSecure || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname) ? undefined : text("connect.insecure")),
        html("details", {}, html("summary", {}, text("connect.more")),
            field(text("connect.prefix"), prefix), field(text("connect.path"), path), languages.length > 1 && field(text("page.language"), language)),
        problem,
        button);

    function fail(words) {
        write(problem, words);
        ready();
    }
    function ready() {
        button.disabled = false;
        write(button, text("connect.button"));
    }
    /** Forgets the password: the user has left, and the next one may be somebody else. */
    function forget() {
        password.value = "";
        ready();
    }
    return { node: form, button, host, fail, ready, forget };
}
