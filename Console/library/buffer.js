// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The part of Node.js's Buffer that the library uses. The whole one would be a sixth of it.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function demandUTF8(encoding) {
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) throw new TypeError(`Unknown encoding: ${encoding}`);
}

export class Buffer extends Uint8Array {
    static from(source, encodingOrOffset, length) {
        if (typeof source === "string") {
            demandUTF8(encodingOrOffset);
            const { buffer, byteOffset, length: size } = encoder.encode(source);
            return new Buffer(buffer, byteOffset, size);
        }
        return source instanceof ArrayBuffer ? new Buffer(source, encodingOrOffset, length) : new Buffer(source);
    }

    static alloc(size) {
        return new Buffer(size);
    }

    static allocUnsafe(size) {
        return new Buffer(size);
    }

    static concat(parts, size = parts.reduce((sum, part) => sum + part.length, 0)) {
        const whole = new Buffer(size);
        let at = 0;
        for (const part of parts) {
            whole.set(part.subarray(0, Math.max(0, size - at)), Math.min(at, size));
            at += part.length;
        }
        return whole;
    }

    static isBuffer(value) {
        return value instanceof Buffer;
    }

    static byteLength(value) {
        return typeof value === "string" ? encoder.encode(value).length : value.byteLength;
    }

    /** Copies nothing, unlike that of arrays. */
    slice(start, end) {
        return this.subarray(start, end);
    }

    copy(target, at = 0, start = 0, end = this.length) {
        const part = this.subarray(start, Math.min(end, start + Math.max(0, target.length - at)));
        target.set(part, Math.min(at, target.length));
        return part.length;
    }

    write(text, at = 0) {
        return encoder.encodeInto(text, this.subarray(at)).written;
    }

    toString(encoding, start, end) {
        demandUTF8(encoding);
        return decoder.decode(this.subarray(start, end));
    }

    readUInt8(at = 0) {
        return this[at];
    }

    readUInt16BE(at = 0) {
        return this[at] * 256 + this[at + 1];
    }

    readUInt32BE(at = 0) {
        return this.readUInt16BE(at) * 65536 + this.readUInt16BE(at + 2);
    }

    writeUInt8(value, at = 0) {
        this[at] = value;
        return at + 1;
    }

    writeUInt16BE(value, at = 0) {
        this[at] = value >>> 8;
        this[at + 1] = value;
        return at + 2;
    }

    writeUInt32BE(value, at = 0) {
        this.writeUInt16BE(value >>> 16, at);
        return this.writeUInt16BE(value, at + 2);
    }
}
