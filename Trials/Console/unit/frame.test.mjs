// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import test from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

import { load, nameOf, suitable } from "../../../Console/languages.js";
import { listAddress, parse, vehicleAddress } from "../../../Console/model/address.js";
import { Choices } from "../../../Console/model/choices.js";
import { breakable, choices, currentLanguage, decimal, optional, text, use, word } from "../../../Console/texts.js";

const folder = new URL("../../../Console/texts/", import.meta.url);
const languages = readdirSync(folder).filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
const read = (language) => JSON.parse(readFileSync(new URL(`${language}.json`, folder)));
/** The keys of all texts with the places that they fill; the plural forms of a text are one. Messages are in English already. */
function keys(tree, path = "") {
    if (typeof tree === "string" || typeof tree.other === "string") {
        const forms = typeof tree === "string" ? [tree] : Object.values(tree);
        return [[path.slice(1), [...new Set(forms.flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort().join()]];
    }
    return Object.entries(tree).filter(([name]) => path !== "" || name !== "messages").flatMap(([name, below]) => keys(below, `${path}.${name}`));
}

test("An address names the list with its search, or a vehicle and a part of it", () => {
    for (const hash of ["", "#", "#main", "#/a/b/c"]) assert.deepEqual(parse(hash), {});
    assert.deepEqual(parse("#/"), { isAddress: true, vehicle: undefined, part: undefined, search: undefined, sort: undefined, filter: undefined });
    assert.equal(listAddress({ search: "", sort: undefined }), "#/");
    const wanted = { search: "P0301 & more", sort: "lamp", filter: "codes" };
    assert.deepEqual(parse(listAddress(wanted)), { isAddress: true, vehicle: undefined, part: undefined, ...wanted });
    for (const name of ["WVWZZZ1JZXW000001", "van 1?", "<b>evil", "Fähre"]) {
        assert.equal(parse(vehicleAddress(name)).vehicle, name);
        assert.deepEqual([parse(vehicleAddress(name, "codes")).vehicle, parse(vehicleAddress(name, "codes")).part], [name, "codes"]);
    }
    // No topic has such a name, and one would subscribe to all vehicles or end the connection.
    for (const name of ["+", "#", "a/b", "\u0000", "x".repeat(257)]) assert.equal(parse(vehicleAddress(name)).vehicle, undefined, name);
    // Half an escape names nothing, and is no error.
    assert.equal(parse("#/%E0%A4%A").vehicle, undefined);
});

/** A storage that counts what it keeps. */
function storage(text) {
    return { text, getItem() { return this.text ?? null; }, setItem(_, value) { this.text = value; } };
}

test("Choices are kept for the next visit, and only those that exist", () => {
    const kept = storage();
    const first = new Choices(kept);
    assert.equal(first.one("units", ["sent", "metric"]), "sent");
    first.keep("units", "metric");
    first.keep("hidden", ["trips"]);
    assert.throws(() => first.keep("password", "secret"), RangeError);
    const second = new Choices(kept);
    assert.equal(second.one("units", ["sent", "metric"]), "metric");
    assert.deepEqual(second.list("hidden"), ["trips"]);
    // An empty list is a choice, too.
    second.keep("notifyKinds", []);
    assert.deepEqual([second.has("notifyKinds"), second.list("notifyKinds"), second.has("series")], [true, [], false]);
    // Another version of the page, or another page, may have kept anything.
    for (const text of ["", "no JSON", "[1]", '{"units": 7, "hidden": "x", "password": "secret"}', "x".repeat(9999)]) {
        const other = new Choices(storage(text));
        assert.equal(other.one("units", ["sent", "metric"]), "sent");
        assert.deepEqual([other.list("hidden"), other.text("units"), other.text("password")], [[], "", ""]);
    }
});

test("Without a storage, choices hold for the visit", () => {
    const refusing = { getItem() { throw new Error("denied"); }, setItem() { throw new Error("denied"); } };
    for (const store of [undefined, refusing]) {
        const made = new Choices(store);
        made.keep("sort", "lamp");
        assert.equal(made.text("sort"), "lamp");
    }
});

test("The language is the best that there is for the user", () => {
    assert.equal(suitable(["", "fr", "de-AT", "en"], ["de", "en"]), "de");
    assert.equal(suitable(["en-GB", "de"], ["de", "en"]), "en");
    assert.equal(suitable(["fr"], ["de", "en"]), "en");
    assert.deepEqual(["de", "en"].map(nameOf), ["Deutsch", "English"]);
});

test("Texts and words come from files beside the page, and a missing one is an error", async () => {
    const asked = [];
    await load("de", (name) => {
        asked.push(name);
        return { ok: true, json: () => (name.startsWith("words") ? { parameters: { engine_speed: { title: "Motordrehzahl" } } } : read("de")) };
    });
    assert.deepEqual(asked, ["texts.de.json", "words.de.json"]);
    assert.deepEqual([currentLanguage(), text("connect.button"), word.title("engine_speed/7E9")], ["de", "Verbinden", "Motordrehzahl (7E9)"]);
    await assert.rejects(load("xx", () => ({ ok: false, status: 404 })), /texts\.xx\.json: 404/);
});

test("Every language has every text, with the same places, and names itself", () => {
    assert.ok(languages.includes("en") && languages.includes("de"));
    const wanted = keys(read("en"));
    for (const language of languages) {
        assert.deepEqual(keys(read(language)), wanted, language);
        assert.equal(read(language).language, language);
    }
});

test("Plural texts have the form that a language wants for each number", () => {
    for (const language of languages) {
        const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
        const plurals = (tree) => Object.values(tree).flatMap((below) => (typeof below === "string" ? [] : typeof below.other === "string" && below.one ? [below] : plurals(below)));
        for (const one of plurals(read(language))) for (const form of forms) assert.ok(one[form], `${language}: ${JSON.stringify(one)} has no ${form}`);
    }
});

test("Texts take values, plural forms and numbers in the notation of the language", () => {
    use("en", { fleet: { codes: { "=0": "no codes", one: "{count} code", other: "{count} codes" }, of: "{count} of {total}", a: "{b}" } });
    assert.deepEqual([0, 1, 2000].map((count) => text("fleet.codes", { count })), ["no codes", "1 code", "2,000 codes"]);
    assert.equal(text("fleet.of", { count: 12, total: 5000 }), "12 of 5,000");
    // What a message says is text, also if it looks like a place or a member of every object.
    assert.equal(text("fleet.a", { b: "{total} $&" }), "{total} $&");
    assert.deepEqual([text("fleet.none"), text("fleet.constructor"), optional("fleet"), text("fleet.a")], ["fleet.none", "fleet.constructor", undefined, "{b}"]);
    assert.deepEqual(choices("fleet").map(([name]) => name), ["codes", "of", "a"]);
    use("de", {});
    assert.deepEqual([decimal(1234.567, 1), decimal(12, 1, true), decimal(14.25)], ["1.234,6", "12,0", "14,25"]);
    assert.deepEqual([decimal(1e308), decimal(-1.23456e12, 0, true), decimal(999_999_999_999)], ["1E308", "-1,235E12", "999.999.999.999"]);
});

test("Words that the contract does not have are spoken as they are written", () => {
    use("en", read("en"), { parameters: { engine_speed: { title: "Engine speed" } }, terms: { "ignition.running": "engine running" } });
    assert.deepEqual(["engine_speed", "o2_b1s2_voltage", "egr_error", "constructor"].map(word.title),
        ["Engine speed", "O2 bank 1 sensor 2 voltage", "EGR error", "Constructor"]);
    assert.deepEqual([word.term("ignition.running"), word.term("constructor"), word.parameter("constructor")], ["engine running", undefined, undefined]);
});

test("What agents tell in English is in the language of the page, as far as its texts have it", () => {
    use("de", read("de"), {});
    assert.equal(word.meaning("Catalyst efficiency too low, bank 2"), "Wirkung des Katalysators zu gering, Bank 2");
    assert.equal(word.meaning("Oxygen sensor, bank 1 sensor 2: voltage low"), "Lambdasonde, Bank 1 Sonde 2: Spannung zu niedrig");
    assert.equal(word.meaning("Camshaft B position, bank 1: timing too far retarded"), "Nockenwelle B, Bank 1: Steuerzeit zu spät");
    // What is known by half stays as it was sent.
    for (const english of ["Misfire in cylinder 1 (signal erratic)", "Injectors: asleep", "Fog lamp: circuit open", "constructor", ""]) assert.equal(word.meaning(english), english);
    assert.equal(word.meaning(undefined), "");
    assert.deepEqual(["closed loop", "maybe", "toString"].map(word.label), ["geregelt", "maybe", "toString"]);
    assert.deepEqual(["rpm", "km/h", ""].map(word.unit), ["1/min", "km/h", ""]);
    use("en", read("en"), {});
    assert.deepEqual([word.meaning("Injectors: circuit open"), word.label("closed loop"), word.unit("rpm")], ["Injectors: circuit open", "closed loop", "rpm"]);
});

test("Each translated meaning fills the places of its original", () => {
    const count = (words) => words.split("#").length;
    for (const [english, words] of Object.entries(read("de").messages.meanings)) assert.equal(count(words), count(english), english);
});

test("Long German titles can be broken between their words", () => {
    use("de", read("de"), {});
    const parts = (title) => breakable(title).split("\u00ad");
    assert.deepEqual(parts("Steuergerätespannung"), ["Steuer", "geräte", "spannung"]);
    assert.deepEqual(parts("Ansauglufttemperatur"), ["Ansaug", "luft", "temperatur"]);
    assert.deepEqual(parts("Drosselklappenstellung"), ["Drossel", "klappen", "stellung"]);
    assert.deepEqual(parts("Kühlmitteltemperatur (7E9)"), ["Kühlmittel", "temperatur (7E9)"]);
    assert.deepEqual([parts("Temperatur"), parts("Motordrehzahl")], [["Temperatur"], ["Motordrehzahl"]]);
    use("en", read("en"), {});
    assert.equal(breakable("Spannungsverbrauch"), "Spannungsverbrauch");
});

test("The style sheets need no selector that browsers of 2022 lack", () => {
    const styles = new URL("../styles/", folder);
    for (const name of readdirSync(styles)) assert.doesNotMatch(readFileSync(new URL(name, styles), "utf8"), /:has\(/, name);
});

test("Every text that the page names is there, and every text is named", () => {
    const sources = ["", "model/", "views/"].flatMap((path) => readdirSync(new URL(`../${path}`, folder)).filter((name) => name.endsWith(".js"))
        .map((name) => readFileSync(new URL(`../${path}${name}`, folder), "utf8")));
    const source = sources.join("\n");
    const all = keys(read("en")).map(([key]) => key);
    const named = [...source.matchAll(/"([a-zA-Z]+(?:\.\w+)+)"/g)].map(([, key]) => key).filter((key) => Object.hasOwn(read("en"), key.split(".")[0]) && !key.endsWith(".js"));
    for (const key of named) assert.ok(all.some((one) => one === key || one.startsWith(`${key}.`)), key);
    // The rest of a key may come from a message, as in `reasons.${reason}`.
    const groups = [...source.matchAll(/`([a-zA-Z]+(?:\.\w+)*)\.\$\{/g)].map(([, group]) => group);
    const isNamed = (key) => named.some((one) => key === one || key.startsWith(`${one}.`)) || groups.some((group) => key.startsWith(`${group}.`));
    assert.deepEqual(all.filter((key) => key !== "language" && !isNamed(key)), []);
});
