// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Tests that import this see the page's English texts, and the contract's words.

import { readFileSync } from "node:fs";

import { use } from "../../../Console/texts.js";

const read = (path) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url)));

use("en", read("Console/texts/en.json"), read("docs/contract/words.en.json"));
