// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Records of `telemetry`: recorded samples, and parts of the track.

import { isDate, isNewer, list, members, number, object, text, time } from "./json.js";

/** The largest numbers of series in a record, of samples in each, and of points of the track; more than a record has. */
const seriesLimit = 400;
const pointLimit = 20_000;
/** The largest size of a record that was compressed, in bytes: that of any payload. */
export const inflatedLimit = 512 * 1024;

const name = /^[a-z][a-z0-9_]{0,99}(\/[0-9A-F]{2,8})?$/;

/** The samples of a series of differences, whose first time counts from `start`; empty if it is malformed. */
export function samples(series, start) {
    const [times, steps, scale] = [list(object(series).dt), list(object(series).dv), number(object(series).scale)];
    const result = [];
    let [at, value] = [start, 0];
    for (let index = 0; index < Math.min(times.length, steps.length, pointLimit); index += 1) {
        at += number(times[index]) ?? NaN;
        value += number(steps[index]) ?? NaN;
        if (!isDate(at) || !Number.isFinite(value) || scale === undefined) return [];
        result.push({ at, value: Number((value * scale).toPrecision(12)) });
    }
    return result;
}

/** All series of a record or a capture that have samples. */
export const allSamples = (record, start) => members(object(record).series).filter(([key]) => name.test(key)).slice(0, seriesLimit)
    .map(([key, series]) => ({ name: key, ecu: text(object(series).ecu), points: samples(series, start) }))
    .filter((one) => one.points.length > 0);

/** The coordinates of an encoded polyline with five decimals; empty if it is malformed. */
export function coordinates(polyline) {
    const result = [];
    const sums = [0, 0];
    let [index, axis] = [0, 0];
    while (index < polyline.length && result.length < pointLimit) {
        let [bits, shift, part] = [0, 0, 0];
        do {
            if (index >= polyline.length || shift > 30) return [];
            part = polyline.charCodeAt(index) - 63;
            index += 1;
            if (part < 0 || part > 63) return [];
            bits += (part & 31) * 2 ** shift;
            shift += 5;
        } while (part >= 32);
        sums[axis] += bits % 2 === 1 ? -(bits + 1) / 2 : bits / 2;
        if (axis === 1) result.push({ latitude: sums[0] / 1e5, longitude: sums[1] / 1e5 });
        axis = 1 - axis;
    }
    const isPlace = ({ latitude, longitude }) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    return axis === 0 && result.every(isPlace) ? result : [];
}

/** The points of the track, each with its time, and whether its way from the point before is unknown. */
function track(record, start) {
    const body = object(record.track);
    const [times, places, gaps] = [list(body.dt), coordinates(text(body.polyline) ?? ""), new Set(list(body.gaps).slice(0, pointLimit))];
    if (times.length !== places.length) return [];
    let at = start;
    const points = places.map((place, index) => ({ ...place, at: at += (number(times[index]) ?? NaN) * 1000, isGap: gaps.has(index) }));
    return points.every((point) => isDate(point.at)) ? points : [];
}

/** A record: who sent it, its series, and its part of the track; undefined if it is none, or has no certain time. */
export function telemetry(json) {
    const body = object(isNewer(json) ? undefined : json);
    const [agent, epoch, seq, start] = [text(body.agent), number(body.epoch), number(body.seq), time(body.t0)];
    if (epoch === undefined || seq === undefined || start === undefined || text(body.clock) !== "synchronised") return undefined;
    return { agent, epoch, seq, series: allSamples(body, start), track: track(body, start) };
}

/** Whether this browser has had to leave out a compressed record: it has no DecompressionStream. */
export const lacksInflation = () => isLacking;
let isLacking = false;

/** The contents of a payload that is compressed with zlib (RFC 1950); undefined if it is not, or is too large. */
export async function inflate(payload, limit = inflatedLimit) {
    if (typeof DecompressionStream === "undefined") {
        isLacking = true;
        return undefined;
    }
    try {
        const reader = new Blob([payload]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
        const parts = [];
        let size = 0;
        for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
            size += value.length;
            if (size > limit) {
                await reader.cancel();
                return undefined;
            }
            parts.push(value);
        }
        const whole = new Uint8Array(size);
        let place = 0;
        for (const part of parts) {
            whole.set(part, place);
            place += part.length;
        }
        return whole;
    } catch {
        return undefined;
    }
}
