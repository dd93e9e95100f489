// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { Buffer as Whole } from "node:buffer";
import test from "node:test";
import { Buffer } from "../../../Console/library/buffer.js";

const texts = ["", "obd/+/status", "Grüße, 你好", "a\u{1F697}b", "\u{FEFF}mark"];

test("A buffer of the page turns texts into bytes and back like that of Node.js", () => {
    for (const text of texts) {
        const [own, whole] = [Buffer.from(text, "utf8"), Whole.from(text, "utf8")];
        assert.deepEqual([...own], [...whole]);
        assert.equal(own.toString("utf-8"), whole.toString("utf-8"));
        assert.equal(own.toString("utf8", 1, 4), whole.toString("utf8", 1, 4));
        assert.equal(Buffer.byteLength(text), Whole.byteLength(text));
        const [ownPlace, wholePlace] = [Buffer.alloc(40), Whole.alloc(40)];
        assert.equal(ownPlace.write(text, 3), wholePlace.write(text, 3));
        assert.deepEqual([...ownPlace], [...wholePlace]);
    }
    assert.throws(() => Buffer.from("00", "hex"), TypeError);
});

test("Numbers in a buffer have the byte order of MQTT", () => {
    const [own, whole] = [Buffer.alloc(9), Whole.alloc(9)];
    for (const [size, value] of [["8", 255], ["16BE", 65_279], ["32BE", 4_294_901_760], ["32BE", 7]]) {
        assert.equal(own[`writeUInt${size}`](value, 1), whole[`writeUInt${size}`](value, 1));
        assert.deepEqual([...own], [...whole]);
        assert.equal(own[`readUInt${size}`](1), whole[`readUInt${size}`](1));
    }
});

test("Parts of a buffer share its bytes, and copies do not", () => {
    const own = Buffer.from([1, 2, 3, 4, 5]);
    const part = own.slice(1, 3);
    assert.ok(Buffer.isBuffer(part));
    part[0] = 9;
    assert.equal(own[1], 9);
    assert.equal(Buffer.isBuffer(new Uint8Array(1)), false);
    const bytes = new Uint8Array([1, 2, 3, 4]).buffer;
    assert.deepEqual([...Buffer.from(bytes, 1, 2)], [2, 3]);
    for (const [at, start, end] of [[0, 0, 5], [1, 2, 4], [2, 0, 9], [4, 1, undefined], [9, 0, 2]]) {
        const [ownTarget, wholeTarget] = [Buffer.alloc(4), Whole.alloc(4)];
        assert.equal(own.copy(ownTarget, at, start, end), Whole.from(own).copy(wholeTarget, at, start, end));
        assert.deepEqual([...ownTarget], [...wholeTarget]);
    }
});

test("Buffers are put together, cut or filled up to a wanted size", () => {
    const parts = [[1, 2], [], [3, 4, 5]];
    for (const size of [undefined, 0, 1, 4, 5, 7]) {
        assert.deepEqual([...Buffer.concat(parts.map((one) => Buffer.from(one)), size)], [...Whole.concat(parts.map((one) => Whole.from(one)), size)]);
    }
});
