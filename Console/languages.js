// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The languages of the page, and their files beside it.

import { use } from "./texts.js";

/* global LANGUAGES */
/** The languages with a file in texts/, as the build has found them. */
export const languages = typeof LANGUAGES === "undefined" ? ["en"] : LANGUAGES;

/** The language that suits a user best, of those that there are: the exact one, or its base; otherwise English. */
export function suitable(wanted, available) {
    for (const tag of wanted) {
        const found = [tag, tag.split("-")[0]].find((one) => available.includes(one));
        if (found) return found;
    }
    return "en";
}

/** The name of a language in that language. */
export const nameOf = (language) => new Intl.DisplayNames([language], { type: "language" }).of(language);

/** Loads a language's texts and the contract's words, and uses them. */
export async function load(language, ask = fetch) {
    const [texts, words] = await Promise.all(["texts", "words"].map(async (kind) => {
        const answer = await ask(`${kind}.${language}.json`);
        if (!answer.ok) throw new Error(`${kind}.${language}.json: ${answer.status}`);
        return answer.json();
    }));
    use(language, texts, words);
}
