// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { exceeded, limitLimit } from "../../../Console/model/limits.js";

const limit = (since, more = {}) => ({ when: "a > 1", exceeded: true, since, ...more });

test("The exceeded limits are shown, the newest first, and no others", () => {
    const limits = {
        hot: limit("2026-11-21T09:00:00.000Z"), weak: { when: "b < 2" }, low: limit("2026-11-21T10:00:00.000Z", { when: "c < 3" }),
        fine: { when: "d > 4", exceeded: false }, undated: limit(undefined),
    };
    assert.deepEqual(exceeded({ limits }), [
        { name: "low", when: "c < 3", since: Date.parse("2026-11-21T10:00:00Z") },
        { name: "hot", when: "a > 1", since: Date.parse("2026-11-21T09:00:00Z") },
        { name: "undated", when: "a > 1", since: undefined },
    ]);
});

test("Limits of another shape are none, and their number is bounded", () => {
    for (const limits of [undefined, 7, [limit()], { "<b>": limit() }, { hot: "yes" }, { hot: { exceeded: "true" } }]) assert.deepEqual(exceeded({ limits }), []);
    assert.deepEqual(exceeded(undefined), []);
    const many = Object.fromEntries(Array.from({ length: limitLimit + 9 }, (_, index) => [`limit_${index}`, limit()]));
    assert.equal(exceeded({ limits: many }).length, limitLimit);
});
