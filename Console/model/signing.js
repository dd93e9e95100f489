// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Signs commands for the agent: a compact JWS with ES256 (RFC 7515, RFC 7518 section 3.4), by the browser's cryptography.
// The key comes from a file of the user, and stays in memory.

import { object, text } from "./json.js";

const curve = { name: "ECDSA", namedCurve: "P-256" };

const base64URL = (bytes) =>
    btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const encoded = (json) => base64URL(new TextEncoder().encode(JSON.stringify(json)));

/** The reason why a file is no key: `unavailable`, `malformed` or `public`. */
export class KeyError extends Error {
    constructor(reason) {
        super(reason);
        this.reason = reason;
    }
}

/** The private key in the text of a JWK file, with its issuer. */
export async function importKey(file, subtle = globalThis.crypto?.subtle) {
    if (!subtle) throw new KeyError("unavailable");
    let jwk;
    try {
        jwk = object(JSON.parse(file));
    } catch {
        throw new KeyError("malformed");
    }
    const { kty, crv, x, y, d, kid } = jwk;
    if (kty !== "EC" || crv !== "P-256" || text(kid) === undefined) throw new KeyError("malformed");
    if (text(d) === undefined) throw new KeyError("public");
    try {
        const key = await subtle.importKey("jwk", { kty, crv, x, y, d }, curve, false, ["sign"]);
        return { key, kid, issuer: text(jwk.iss) ?? kid };
    } catch {
        throw new KeyError("malformed");
    }
}

/** The claims as a compact JWS. */
export async function sign(claims, { key, kid }, subtle = globalThis.crypto?.subtle) {
    const input = `${encoded({ alg: "ES256", kid, typ: "JWT" })}.${encoded(claims)}`;
    const signature = await subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, new TextEncoder().encode(input));
    return `${input}.${base64URL(new Uint8Array(signature))}`;
}
