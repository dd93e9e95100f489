// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The connection to the broker: a thin shell around the MQTT library.

import { Loading } from "./model/loading.js";
import { details, split } from "./model/topics.js";

/** CONNACK reason codes that refuse the user: MQTT 3.1.1 section 3.2.2.3, MQTT 5 section 3.2.2.2. */
const notPermitted = new Set([4, 5, 0x86, 0x87, 0x8a, 0x8c]);
/** The time between two looks at what is subscribed to, in milliseconds. */
const pace = 50;
/** The time between two probes of the connection, in milliseconds. A network that is gone is noticed after two. */
const probe = 10_000;

/**
 * Connects.
 *
 * @param clock gives the present time in milliseconds
 * @param on `open`, `lost`, `failed(isNotPermitted)` before it was ever open, or once the broker refuses the user, `message(topic, payload, isRetained, isAgain)`
 *     with whether the agent sends the record again because a consumer has asked for it,
 *     `named` once the names of the vehicles have arrived, and `complete(names)` once all that is retained for the list of
 *     these vehicles has
 */
export function connection({ protocol, hostname, port, path, prefix, username, password }, clock, on) {
    const client = globalThis.mqtt.connect({
        protocol, hostname, port, path,
        protocolVersion: 5,
        clientId: `console-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`,
        username: username || undefined,
        password: password || undefined,
        // Long enough for a page in the background, whose timers a browser may let run once a minute.
        keepalive: 120,
        connectTimeout: 10_000,
        reconnectPeriod: 2_000,
        // The page itself subscribes again, in steps.
        resubscribe: false,
    });
    const loading = new Loading(prefix);
    let [wasOpen, isOpen] = [false, false];
    let vehicle;
    let followed;
    let watchesEvents = false;
    let probed = clock();
    /** The functions that end the commands which the broker has not acknowledged yet, by packet id. */
    const unacknowledged = new Map();

    const filters = (name) => details.map((path) => `${prefix}/${name}/${path}`);

    function perform(actions) {
        for (const { subscribe, unsubscribe, complete, qos, retained } of actions) {
            // Retain as published stays off: so the retain flag tells whether a message is from before the subscription.
            const options = { qos, rap: false, rh: retained ? 0 : 2 };
            if (subscribe) client.subscribe(subscribe, options, (error) => error || !retained || loading.acknowledged(clock()));
            if (unsubscribe) client.unsubscribe(unsubscribe, () => {});
            if (complete) on.complete(complete);
        }
    }

    /** Subscribes to the chosen vehicle as soon as there is room for its messages. */
    function followNow() {
        if (!isOpen || followed === vehicle || !loading.hasRoom) return;
        if (followed !== undefined) client.unsubscribe(filters(followed), () => {});
        followed = vehicle;
        if (followed !== undefined) client.subscribe(filters(followed), { qos: 1, rap: false, rh: 0 }, () => {});
    }

    const timer = setInterval(() => {
        if (!isOpen) return;
        if (clock() - probed >= probe) {
            probed = clock();
            // Pings the broker, or ends the connection if the last ping has no answer.
            client._checkPing();
        }
        const step = loading.step;
        perform(loading.passed(clock()));
        if (step === "names" && loading.hasRoom) on.named();
        followNow();
    }, pace);

    function fail(isNotPermitted) {
        // A broker that was there comes back; one that refuses the user does so again, and may lock the address.
        if (wasOpen && !isNotPermitted) return;
        close();
        on.failed(isNotPermitted);
        on.failed = () => {};
    }
    function close() {
        clearInterval(timer);
        client.removeAllListeners("close");
        client.end(true);
    }
    client.on("connect", () => {
        wasOpen = isOpen = true;
        probed = clock();
        on.open();
        followed = vehicle;
        perform(loading.opened(clock(), vehicle));
        if (watchesEvents) client.subscribe(`${prefix}/+/events`, { qos: 1 }, () => {});
    });
    client.on("error", (error) => fail(notPermitted.has(error.code)));
    client.on("close", () => {
        if (!wasOpen) return fail(false);
        if (!isOpen) return;
        isOpen = false;
        loading.closed();
        // Otherwise the library would send them again, whenever it is connected again.
        for (const end of [...unacknowledged.values()]) end();
        on.lost();
    });
    client.on("message", (topic, payload, packet) => {
        const place = split(prefix, topic);
        if (place) loading.received(place.vehicle, place.path, packet.retain, clock(), payload.length === 0);
        on.message(topic, payload, packet.retain, packet.properties?.userProperties?.again !== undefined);
    });

    return {
        /** Whether the names are cut, and how many vehicles' states are still to come. */
        loading,
        /** Subscribes to all topics of one vehicle, instead of those of the one before. */
        follow(name) {
            vehicle = name;
            followNow();
        },
        /** Subscribes to the events of all vehicles, or no longer. Those of the followed one come in any case. */
        watchEvents(isWanted) {
            if (watchesEvents === isWanted) return;
            watchesEvents = isWanted;
            if (isOpen && isWanted) client.subscribe(`${prefix}/+/events`, { qos: 1 }, () => {});
            else if (isOpen) client.unsubscribe(`${prefix}/+/events`, () => {});
        },
        /**
         * Sends a command. The promise resolves once the broker has it.
         *
         * It rejects with `isForbidden` if the broker forbids it, with `isDoubtful` if the connection was lost before the
         * broker acknowledged it, and otherwise if nothing was sent.
         */
        send(name, payload, seconds) {
            return new Promise((done, failed) => {
                const reject = (reasons) => failed(Object.assign(new Error(), { isForbidden: false, isDoubtful: false, ...reasons }));
                if (!isOpen || !client.connected) return reject({});
                const options = {
                    qos: 1,
                    properties: {
                        messageExpiryInterval: seconds,
                        contentType: payload.startsWith("{") ? "application/json" : "application/jose",
                    },
                };
                let id;
                client.publish(`${prefix}/${name}/commands`, payload, options, (error, packet) => {
                    unacknowledged.delete(id);
                    const code = error?.code ?? packet?.reasonCode ?? 0;
                    if (error || code >= 0x80) reject({ isForbidden: code === 0x87 });
                    else done();
                });
                id = client.getLastMessageId();
                unacknowledged.set(id, () => {
                    reject({ isDoubtful: true });
                    unacknowledged.delete(id);
                    client.removeOutgoingMessage(id);
                });
            });
        },
        close,
    };
}
