// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import "./english.mjs";
import "./document.mjs";
import { commandsView, exchangeName } from "../../../Console/views/commands.js";
import { connectView } from "../../../Console/views/connect.js";

const { privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
const jwk = { ...await crypto.subtle.exportKey("jwk", privateKey), kid: "k1", iss: "anna@workshop.example" };

/** The view with its file field, in which the user chooses a file. */
function log() {
    const keys = [];
    const view = commandsView({ keyChanged: (key) => keys.push(key), ask() {} });
    const field = view.node.all("input").find((input) => input.attributes.type === "file");
    const choose = (text, name = "anna.jwk") => {
        field.files = [new File([text], name)];
        field.value = `C:\\fakepath\\${name}`;
        return field.listeners.change();
    };
    const rows = () => view.node.all("li").map((item) => item.all("strong")[0].textContent);
    return { view, keys, field, choose, rows };
}

test("The file of a key leaves its field at once, and the key goes when the user leaves", async () => {
    const { view, keys, field, choose } = log();
    const over = choose(JSON.stringify(jwk));
    assert.equal(field.value, "");
    await over;
    assert.equal(keys.at(-1).issuer, "anna@workshop.example");
    assert.match(view.node.textContent, /anna@workshop\.example, key k1\. Key file: anna\.jwk\./);
    view.forget();
    assert.equal(keys.at(-1), undefined);
    assert.match(view.node.textContent, /Commands are unsigned/);
});

test("A key that is read when the user leaves is not used", async () => {
    const { view, keys, choose } = log();
    const over = choose(JSON.stringify(jwk));
    view.forget();
    await over;
    assert.deepEqual(keys.filter(Boolean), []);
    await choose("no key", "notes.txt");
    assert.match(view.node.textContent, /has no private key|no key/i);
    assert.deepEqual(keys.filter(Boolean), []);
});

const exchange = (id, more = {}) => ({ id, command: "resend", parameters: { stream: "events" }, vehicle: "V1", lastResponseTime: 0, state: "sent", ...more });
const done = (id, more) => exchange(id, { state: "succeeded", answer: { state: "succeeded", result: {} }, ...more });

test("What is sent again has the name of what the user wanted, and portions of it are one row", () => {
    const { view, rows } = log();
    for (let index = 0; index < 11; index += 1) {
        view.update(exchange(`e${index}`), true);
        view.update(done(`e${index}`), true);
    }
    assert.deepEqual(rows(), ["Earlier events, trips and captures (11)"]);
    const refused = { state: "refused", answer: { state: "refused", reason: "not_allowed", result: {} } };
    view.update(exchange("r1", refused), true);
    // What went wrong keeps its row.
    view.update(exchange("r2"), true);
    view.update(exchange("t1", { parameters: { stream: "telemetry" } }), true);
    view.update(exchange("o1", { vehicle: "V2" }), true);
    assert.deepEqual(rows().length, 4);
    assert.match(view.bar.textContent, /^Earlier events, trips and captures: /);
    assert.equal(exchangeName({ command: "resend", parameters: { stream: "telemetry" } }), "Earlier values");
    assert.equal(exchangeName({ command: "resend", parameters: { stream: "constructor" } }), exchangeName({ command: "resend" }));
    view.forget();
    assert.deepEqual(rows(), []);
});

test("A message goes when the user turns to something else", () => {
    const { view } = log();
    view.update(exchange("e1", { state: "refused", answer: { state: "refused", reason: "not_allowed", result: {} } }), true);
    assert.equal(view.bar.hidden, false);
    view.dismiss();
    assert.equal(view.bar.hidden, true);
});

test("The form forgets the password", () => {
    const form = connectView({ protocol: "http:", host: "localhost", hostname: "localhost", port: "80" }, () => {}, () => {});
    const password = form.node.all("input").find((input) => input.attributes.type === "password");
    password.value = "secret";
    form.forget();
    assert.equal(password.value, "");
});
