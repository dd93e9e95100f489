// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The connection to the broker: a thin shell around the MQTT library.

import { details, overview } from "./model/topics.js";

/** CONNACK reason codes that refuse the user: MQTT 3.1.1 section 3.2.2.3, MQTT 5 section 3.2.2.2. */
const notPermitted = new Set([4, 5, 0x86, 0x87, 0x8a, 0x8c]);

/**
 * Connects.
 *
 * @param on `open`, `lost`, `failed(isNotPermitted)` before it was ever open, and `message(topic, payload, isRetained)`
 */
export function connection({ protocol, hostname, port, path, prefix, username, password }, on) {
    const client = globalThis.mqtt.connect({
        protocol, hostname, port, path,
        protocolVersion: 5,
        clientId: `console-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`,
        username: username || undefined,
        password: password || undefined,
        keepalive: 30,
        connectTimeout: 10_000,
        reconnectPeriod: 2_000,
    });
    let wasOpen = false;
    let vehicle;

    const filters = (name) => details.map((path) => `${prefix}/${name}/${path}`);
    const subscribe = (topics) => client.subscribe(topics, { qos: 1 }, () => {});

    function fail(isNotPermitted) {
        if (wasOpen) return;
        client.end(true);
        on.failed(isNotPermitted);
        on.failed = () => {};
    }
    client.on("connect", () => {
        wasOpen = true;
        on.open();
        if (client.isSubscribed) return;
        // After a reconnect the library subscribes again by itself.
        client.isSubscribed = true;
        subscribe(overview.map((path) => `${prefix}/+/${path}`));
        if (vehicle !== undefined) subscribe(filters(vehicle));
    });
    client.on("error", (error) => fail(notPermitted.has(error.code)));
    client.on("close", () => (wasOpen ? on.lost() : fail(false)));
    client.on("message", (topic, payload, packet) => on.message(topic, payload, packet.retain));

    return {
        /** Subscribes to all topics of one vehicle, and to those of the others that the list needs. */
        follow(name) {
            if (vehicle === name) return;
            if (vehicle !== undefined) client.unsubscribe(filters(vehicle), () => {});
            vehicle = name;
            if (client.isSubscribed) subscribe(filters(vehicle));
        },
        /** Sends a command. The promise rejects with whether the broker forbids it. */
        send(name, payload, seconds) {
            const options = {
                qos: 1,
                properties: {
                    messageExpiryInterval: seconds,
                    contentType: payload.startsWith("{") ? "application/json" : "application/jose",
                },
            };
            return new Promise((done, failed) => {
                client.publish(`${prefix}/${name}/commands`, payload, options, (error, packet) => {
                    const code = error?.code ?? packet?.reasonCode ?? 0;
                    if (error || code >= 0x80) failed(Object.assign(new Error(), { isForbidden: code === 0x87 }));
                    else done();
                });
            });
        },
        close() {
            client.removeAllListeners("close");
            client.end(true);
        },
    };
}
