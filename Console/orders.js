// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The commands of the user: signs and sends them, and matches the responses.

import { answer, claims, lifetime, newID, plain } from "./model/commands.js";
import { Exchange } from "./model/exchange.js";
import { parse } from "./model/json.js";
import { sign } from "./model/signing.js";

export class Orders {
    /** The exchanges in flight, by command id. */
    #exchanges = new Map();
    #report;

    /** @param report called with each exchange that is new or changed */
    constructor(report) {
        this.#report = report;
        /** The signing key; undefined for unsigned commands. */
        this.key = undefined;
    }

    /** Sends a command to a vehicle. The promise resolves with the finished exchange. */
    async send(broker, vehicle, command, parameters) {
        const [key, now] = [this.key, Date.now()];
        const order = { id: newID(), command, parameters, vehicle, now };
        const payload = key ? await sign(claims(order, key.issuer), key) : JSON.stringify(plain(order));
        const exchange = new Exchange({ id: order.id, command, parameters, vehicle, issuer: key?.issuer, sent: now, expires: now + lifetime });
        const over = new Promise((done) => { exchange.done = done; });
        this.#exchanges.set(order.id, exchange);
        this.#changed(exchange);
        broker.send(vehicle, payload, Math.ceil(lifetime / 1000)).then(
            () => exchange.acknowledged() && this.#changed(exchange),
            (error) => {
                exchange.isForbidden = error.isForbidden;
                if (exchange.failed(error)) this.#changed(exchange);
            });
        return over;
    }

    /** Takes a message on a vehicle's topic `responses`. */
    receive(vehicle, payload) {
        const response = answer(parse(new TextDecoder().decode(payload)));
        const exchange = this.#exchanges.get(response?.id);
        if (exchange?.vehicle === vehicle && exchange.receive(response, Date.now())) this.#changed(exchange);
    }

    /** Time has passed: some may have waited long enough. */
    passed() {
        for (const exchange of this.#exchanges.values()) if (exchange.passed(Date.now())) this.#changed(exchange);
    }

    /** The user has left the broker: nothing more is expected. */
    end() {
        for (const exchange of this.#exchanges.values()) exchange.done(exchange);
        this.#exchanges.clear();
    }

    #changed(exchange) {
        this.#report(exchange);
        if (exchange.isOver && this.#exchanges.delete(exchange.id)) exchange.done(exchange);
    }
}
