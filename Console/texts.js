// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The words of the page, in the language of the user: the page's own texts, and the contract's words for what agents publish.

let language = "en";
let texts = {};
let words = {};
/** What the user or a signal set calls the custom parameters of the shown vehicle, by name. */
let ownTitles = {};
let plurals = new Intl.PluralRules("en");
/** The number formats by the number of decimals. */
const formats = new Map();
/** A word for which a phone has no room in one line. */
const longWord = /\p{L}{16,}/gu;
/** Where long compound words may be broken; undefined if the language needs none. */
let joints;

/** Uses these texts from now on; views that exist keep theirs. */
export function use(chosen, pageTexts, contractWords = {}) {
    [language, texts, words] = [chosen, pageTexts, contractWords];
    plurals = new Intl.PluralRules(language);
    formats.clear();
    const parts = texts.messages?.joints;
    joints = typeof parts === "string" ? new RegExp(parts.replace(/ /g, "|"), "giu") : undefined;
}

/** Takes the titles of a vehicle's custom parameters. */
export function call(titles) { ownTitles = titles ?? {}; }

/** The language of the page, as a tag of BCP 47. */
export const currentLanguage = () => language;

/** The member of an object at a path such as `fleet.count`; undefined if there is none. */
function find(tree, path) {
    let found = tree;
    for (const step of path.split(".")) {
        if (found === null || typeof found !== "object" || !Object.hasOwn(found, step)) return undefined;
        found = found[step];
    }
    return found;
}

/** The form of a text for a count: `=0` for exactly none, otherwise the plural category of the language. */
function form(forms, count) {
    if (typeof forms === "string") return forms;
    const exact = `=${count}`;
    return Object.hasOwn(forms, exact) ? forms[exact] : forms[plurals.select(Number(count))] ?? forms.other;
}

/** The size from which a number has a power of ten in place of its digits, which may be 309. */
const huge = 1e12;

/** A number in the notation of the language, with the given number of decimals at most, and at least if `isFixed`. */
export function decimal(value, decimals = 2, isFixed = false) {
    const isHuge = Math.abs(value) >= huge;
    const key = isHuge ? "huge" : `${decimals} ${isFixed}`;
    if (!formats.has(key)) {
        const style = { maximumFractionDigits: decimals, minimumFractionDigits: isFixed ? decimals : 0 };
        formats.set(key, new Intl.NumberFormat(language, isHuge ? { notation: "scientific", maximumSignificantDigits: 4 } : style));
    }
    return formats.get(key).format(value);
}

/** A text of the page if there is one. `values` fill its `{names}`; a text with plural forms goes by `values.count`. */
export function optional(key, values = {}) {
    const found = find(texts, key);
    if (typeof found !== "string" && typeof found?.other !== "string") return undefined;
    return form(found, values.count).replace(/\{(\w+)\}/g, (place, name) => {
        const value = Object.hasOwn(values, name) ? values[name] : place;
        return typeof value === "number" ? decimal(value) : String(value);
    });
}

/** A text of the page; the key itself if the language lacks it. */
export const text = (key, values) => optional(key, values) ?? key;

/** The keys and texts of a group such as `finding.severities`, in the order of the file. */
export const choices = (key) => Object.keys(find(texts, key) ?? {}).map((name) => [name, text(`${key}.${name}`)]);

/** A title that can be broken between the parts of its words, with soft hyphens. */
export const breakable = (title) => (joints === undefined ? title
    : title.replace(longWord, (long) => long.replace(joints, (part, at) => (at > 2 ? `\u00ad${part}` : part))));

/** What agents say in English, in the language of the page; undefined if its texts lack it. English itself has none. */
function translated(kind, english) {
    const found = texts.messages?.[kind];
    return Object.hasOwn(found ?? {}, english) ? found[english] : undefined;
}

/** The same of a meaning, in which each number and each single letter counts as `#`, such as that of a cylinder. */
function filled(english) {
    const values = [];
    const pattern = english.replace(/\b(?:[A-Z]|\d+)\b/g, (value) => {
        values.push(value);
        return "#";
    });
    return translated("meanings", pattern)?.replace(/#/g, () => values.shift() ?? "");
}

/** A name of the contract as people write it, such as "Engine speed". */
function spoken(name) {
    const plain = name.replace(/_/g, " ").replace(/\bb(\d)s(\d)\b/, (_, bank, sensor) => text("values.sensor", { bank, sensor }))
        .replace(/\bo2\b/g, "O2").replace(/\b(egr|evap|obd|mil|vin|abs)\b/g, (short) => short.toUpperCase()).replace(/\bnox\b/g, "NOx")
        .replace(/ system(\d)$/, " $1");
    return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** The contract's words. */
export const word = {
    /** What the contract says about a parameter: title, group, decimals, unit, gauge; undefined for one that it does not know. */
    parameter: (name) => (Object.hasOwn(words.parameters ?? {}, name) ? words.parameters[name] : undefined),
    /** The title of a parameter, or of a series such as `engine_speed/7E9`. */
    title(series) {
        const [name, ecu] = series.split("/");
        const own = Object.hasOwn(ownTitles, name) && typeof ownTitles[name] === "string" ? ownTitles[name] : undefined;
        const title = own ?? word.parameter(name)?.title ?? spoken(name);
        return ecu ? text("values.ofECU", { title, ecu }) : title;
    },
    /** The name of a group of parameters. */
    group: (name) => (Object.hasOwn(words.groups ?? {}, name) ? words.groups[name] : spoken(name)),
    /** The word for a state, such as `ignition.running`; undefined if there is none. */
    term: (key) => (Object.hasOwn(words.terms ?? {}, key) ? words.terms[key] : undefined),
    spoken,
    /** The label of a coded value, such as "closed loop". */
    label: (english) => translated("labels", english) ?? english,
    /** A unit as people write it. */
    unit: (unit) => translated("units", unit) ?? unit,
    /** The meaning of a trouble code. The agent tells it in English: a subject, in many cases with a fault behind it. */
    meaning(english = "") {
        const at = english.lastIndexOf(": ");
        const [subject, fault] = at < 0 ? [] : [filled(english.slice(0, at)), translated("faults", english.slice(at + 2))];
        return filled(english) ?? (subject !== undefined && fault !== undefined ? `${subject}: ${fault}` : english);
    },
    /** The same as a phrase of its own: with a capital letter, or the name itself as people write it. */
    phrase(group, name) {
        const found = word.term(`${group}.${name}`);
        return found === undefined ? spoken(name) : found.charAt(0).toUpperCase() + found.slice(1);
    },
};
