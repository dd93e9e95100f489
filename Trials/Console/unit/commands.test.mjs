// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { test } from "node:test";

import { ClearPreview, obstacle } from "../../../Console/model/clear.js";
import { answer, claims, codesIn, findingText, isInterval, newID, plain, selection } from "../../../Console/model/commands.js";
import { confirmationTimeout, Exchange, deliveryGrace, silenceTimeout } from "../../../Console/model/exchange.js";
import { Picture } from "../../../Console/model/picture.js";
import { importKey, KeyError, sign } from "../../../Console/model/signing.js";

const now = Date.parse("2026-11-22T10:00:00.250Z");
const order = { id: "console-1", command: "read_codes", parameters: {}, vehicle: "V1", now };
const { subtle } = webcrypto;

test("A command says what it is, for whom, and until when", () => {
    assert.deepEqual(plain(order), {
        id: "console-1", command: "read_codes", arguments: {}, vehicle: "V1",
        issued_at: "2026-11-22T10:00:00.250Z", expires_at: "2026-11-22T10:05:00.250Z",
    });
    assert.deepEqual(claims(order, "ada"), {
        iss: "ada", aud: "V1", jti: "console-1", iat: now / 1000 - 0.25, exp: now / 1000 - 0.25 + 300, command: "read_codes", arguments: {},
    });
    assert.match(newID(webcrypto), /^console-[0-9a-f]{32}$/);
    assert.notEqual(newID(webcrypto), newID(webcrypto));
});

test("A selection is what changes of it", () => {
    const selected = new Map([["a", 1], ["b", 2]]);
    assert.equal(selection(selected, new Map([["a", 1], ["b", 2]]), { version: 3 }), undefined);
    assert.deepEqual(selection(selected, new Map([["a", 5], ["c", 7]]), { duration: 600, version: 3 }),
        { set: { a: 5, c: 7 }, remove: ["b"], duration: 600, expected_version: 3 });
    assert.deepEqual(selection(selected, new Map([["a", 1]])), { remove: ["b"] });
    for (const seconds of [NaN, 0, -1, 0.049, 86401, "5"]) assert.ok(!isInterval(seconds));
    assert.ok(isInterval(0.05) && isInterval(86400));
});

test("A finding has no control characters but line feeds, and its codes are codes", () => {
    assert.equal(findingText("  a\r\nb\tc\u0007\u009Fd\n"), "a\nb cd");
    assert.deepEqual(codesIn("p0301, P0420;p0301 spn110-fmi0 P0301-1f"), { codes: ["P0301", "P0420", "SPN110-FMI0", "P0301-1F"], wrong: [] });
    assert.deepEqual(codesIn("P03 <b>"), { codes: [], wrong: ["P03", "<B>"] });
});

test("What is no answer is none, and what is one is taken as far as it is well-formed", () => {
    for (const json of [undefined, null, 7, [], {}, { state: "new" }, { state: 7 }]) assert.equal(answer(json), undefined);
    const read = answer({ state: "running", id: 7, message: ["x"], progress: { step: 2, steps: 6, doing: "reads" }, result: "x" });
    assert.deepEqual([read.id, read.message, read.progress, read.result], [undefined, undefined, { step: 2, steps: 6, doing: "reads" }, {}]);
});

const exchange = (issuer) => new Exchange({ id: "1", command: "x", vehicle: "V1", issuer, sent: 0, expires: 1000 });
const say = (state, more = {}) => ({ state, ...more });

test("An exchange ends with a final answer, and hears no other", () => {
    const one = exchange();
    assert.ok(one.receive(say("accepted"), 1) && !one.isOver);
    assert.ok(one.receive(say("succeeded"), 2) && one.isOver);
    assert.ok(!one.receive(say("failed"), 3));
    assert.equal(one.state, "succeeded");
});

test("A command is sent only if the broker has it", () => {
    const good = exchange();
    assert.equal(good.state, "sending");
    assert.ok(good.acknowledged() && good.state === "sent" && !good.isOver);
    const lost = exchange();
    assert.ok(lost.failed({ isDoubtful: false }) && lost.state === "unsent" && lost.isOver);
    assert.ok(!lost.receive(say("succeeded"), 1));
    // Nobody knows about this one until an answer comes, or its time is over.
    const doubtful = exchange();
    assert.ok(doubtful.failed({ isDoubtful: true }) && doubtful.isDoubtful && !doubtful.isOver);
    assert.ok(doubtful.passed(1000 + deliveryGrace) && doubtful.state === "unanswered");
    // An answer may overtake the acknowledgement.
    const fast = exchange();
    assert.ok(fast.receive(say("running"), 1) && !fast.acknowledged() && fast.state === "running");
});

test("An exchange that nobody answers ends after its expiry; one that was accepted is waited for longer", () => {
    const silent = exchange();
    assert.ok(!silent.passed(1000 + deliveryGrace - 1));
    assert.ok(silent.passed(1000 + deliveryGrace));
    assert.equal(silent.state, "unanswered");
    const slow = exchange();
    slow.receive(say("running"), 500);
    assert.ok(!slow.passed(500 + silenceTimeout - 1));
    assert.ok(slow.passed(500 + silenceTimeout));
});

test("Of a signed command those answers count that name its issuer; a refusal that does not is believed in the end", () => {
    const one = exchange("ada");
    assert.ok(!one.receive(say("succeeded", { issuer: undefined }), 1));
    assert.ok(one.receive(say("refused", { reason: "bad_signature" }), 1));
    assert.equal(one.state, "doubted");
    assert.ok(one.receive(say("accepted", { issuer: "ada" }), 2));
    assert.ok(one.receive(say("succeeded", { issuer: "ada" }), 3));
    const other = exchange("ada");
    other.receive(say("refused", { reason: "bad_signature" }), 1);
    assert.ok(!other.passed(confirmationTimeout));
    assert.ok(other.passed(confirmationTimeout + 1));
    assert.deepEqual([other.state, other.answer.reason], ["refused", "bad_signature"]);
    assert.ok(!exchange("ada").receive(say("refused", { reason: "busy" }), 1));
});

const report = {
    known: true, unread: [], not_supported: ["permanent"],
    codes: [
        { code: "P0420", ecu: "7E8", states: ["stored", "permanent"] }, { code: "P0301", ecu: "7E8", states: ["stored"], freeze_frame: { values: {}, unread: [] } },
        { code: "P0301", ecu: "7E9", states: ["pending"] }, { code: "P0011", ecu: "7E8", states: ["permanent"] },
    ],
    freeze_frames: { "7E8": { state: "stored", code: "P0301" }, "7E9": { state: "none" } },
};

test("A clear names the codes that it erases, and nothing else", () => {
    const preview = new ClearPreview(report);
    assert.deepEqual(preview.arguments(), { confirm: ["P0301", "P0420"] });
    assert.deepEqual(preview.permanent, ["P0011", "P0420"]);
    assert.deepEqual(preview.frames, [{ ecu: "7E8", code: "P0301", isRead: true, unread: [] }]);
    assert.ok(!preview.isIncomplete);
    assert.deepEqual(new ClearPreview({ ...report, codes: [] }).arguments(), { confirm: "all" });
});

test("A permanent code is said to stay, not to go", () => {
    const preview = new ClearPreview(report);
    assert.deepEqual([preview.gone, preview.permanent], [["P0301"], ["P0011", "P0420"]]);
});

test("A clear is offered only if nothing shows that the agent will refuse it", () => {
    const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
    const vehicle = (status, values = {}) => {
        const picture = new Picture("V1");
        picture.receive("availability", bytes("online"), now, true);
        picture.receive("status", bytes({ link: "connected", ...status }), now, true);
        for (const [name, value] of Object.entries(values)) picture.receive(`parameters/${name}`, bytes({ value }), now, false);
        return picture;
    };
    assert.equal(obstacle(vehicle({ ignition: "on" }, { engine_speed: 0, vehicle_speed: 0 }), now), undefined);
    assert.equal(obstacle(vehicle({ ignition: "on" }, { engine_speed: 800, vehicle_speed: 0 }), now), "engine_running");
    assert.equal(obstacle(vehicle({ ignition: "running" }, { engine_speed: 800, vehicle_speed: 5 }), now), "vehicle_moving");
    assert.equal(obstacle(vehicle({ ignition: "running" }), now), "engine_running");
    assert.equal(obstacle(vehicle({ ignition: "running", ignition_evidence: ["ready"] }), now), "drive_enabled");
    assert.equal(obstacle(vehicle({ ignition: "running", ignition_evidence: ["supply_voltage"] }), now), undefined);
    // What is no longer known is no reason.
    assert.equal(obstacle(vehicle({ ignition: "on" }, { engine_speed: 800 }), now + 71_000), undefined);
    assert.equal(obstacle(vehicle({ ignition: "running", parked: true }), now), undefined);
    const lost = vehicle({ ignition: "running" });
    lost.lost(now);
    assert.equal(obstacle(lost, now), undefined);
});

test("A clear tells what could not be read, and does it only when told", () => {
    const preview = new ClearPreview({ ...report, known: false, unread: ["pending"], freeze_frames: { "7E8": { state: "unread" } } });
    assert.deepEqual(preview.unread, ["stored", "pending"]);
    assert.deepEqual(preview.frames, [{ ecu: "7E8", isRead: false, unread: [] }]);
    assert.ok(preview.isIncomplete);
    assert.ok(!("accept_incomplete" in preview.arguments()));
    assert.equal(preview.arguments({ acceptsIncomplete: true }).accept_incomplete, true);
    assert.ok(new ClearPreview(undefined).isIncomplete);
});

test("A signed command is a JWS that its public key verifies", async () => {
    const pair = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    const jwk = { ...(await subtle.exportKey("jwk", pair.privateKey)), kid: "anna-2026", iss: "anna@garage.example" };
    const key = await importKey(JSON.stringify(jwk), subtle);
    assert.deepEqual([key.kid, key.issuer, key.key.extractable], ["anna-2026", "anna@garage.example", false]);
    const token = await sign(claims(order, key.issuer), key, subtle);
    const [header, payload, signature] = token.split(".").map((part) => Buffer.from(part, "base64url"));
    assert.deepEqual(JSON.parse(header), { alg: "ES256", kid: "anna-2026", typ: "JWT" });
    assert.equal(JSON.parse(payload).iss, "anna@garage.example");
    const signed = Buffer.from(token.slice(0, token.lastIndexOf(".")));
    assert.ok(await subtle.verify({ name: "ECDSA", hash: "SHA-256" }, pair.publicKey, signature, signed));
    assert.match(token, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
});

test("What is no private key is not taken for one", async () => {
    const reason = async (file, by = subtle) => importKey(file, by).then(() => "taken", (error) => error instanceof KeyError && error.reason);
    assert.equal(await reason("{"), "malformed");
    assert.equal(await reason('{"kty": "RSA", "kid": "a"}'), "malformed");
    assert.equal(await reason('{"kty": "EC", "crv": "P-256", "kid": "a", "x": "AA", "y": "AA"}'), "public");
    assert.equal(await reason('{"kty": "EC", "crv": "P-256", "kid": "a", "x": "AA", "y": "AA", "d": "AA"}'), "malformed");
    assert.equal(await reason("{}", null), "unavailable");
});
