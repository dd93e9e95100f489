// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The way of a vehicle: the recorded track, and the positions that have arrived since its last part.

import { rough } from "./position.js";

/** The largest number of points to keep; with one each 30 s, more than a day. */
export const pointLimit = 6000;
/** The largest number of zones and stops to keep. */
export const placeLimit = 60;
/** The time and the distance from which the way between two points is unknown: a straight drive has a point each 30 s. */
const unknownAfter = 150_000;
const unknownFrom = 100;
/** The least duration of a stop, and the wander of a receiver at rest in meters. */
const stopFrom = 120_000;
const wander = 50;

const radius = 6_371_008.8;
const radians = (degrees) => (degrees * Math.PI) / 180;
/** The difference of two longitudes, the shorter way around the earth. */
const east = (from, to) => ((((to - from) % 360) + 540) % 360) - 180;

/** The distance of two places in meters. */
export function distance(one, other) {
    const [low, high] = [radians(one.latitude), radians(other.latitude)];
    const half = Math.sin((high - low) / 2) ** 2 + Math.cos(low) * Math.cos(high) * Math.sin(radians(east(one.longitude, other.longitude)) / 2) ** 2;
    return 2 * radius * Math.asin(Math.min(1, Math.sqrt(half)));
}

export class Track {
    constructor() {
        /** The points by time: latitude, longitude, `at`, `isGap` if the way to it is unknown, `isRecorded`. */
        this.points = [];
        /** The zones that have hidden the vehicle: name, `at` and `until` of what was seen. */
        this.zones = [];
        /** The number of changes. */
        this.version = 0;
        this.isHidden = false;
    }

    /** Takes a part of the recorded track, which is more exact than the positions of the same time. */
    record(part) {
        if (part.length === 0) return;
        const [begin, end] = [part[0].at, part[part.length - 1].at];
        const added = new Set(part.map((point) => point.at));
        const kept = this.points.filter((point) => (point.isRecorded ? !added.has(point.at) : point.at < begin || point.at > end));
        this.#replace([...kept, ...part.map((point) => ({ ...point, isRecorded: true }))].sort((one, other) => one.at - other.at));
    }

    /** Takes the message of the topic `position`, as `position()` reads it. */
    see(found) {
        if (found?.time === undefined || !found.isCertain) return;
        if (found.zone !== undefined) return this.#hide(found);
        const last = this.points[this.points.length - 1];
        const isExact = found.quality === "good" && !(found.accuracy >= rough);
        if (!isExact || (last && found.time <= last.at)) return;
        const isGap = this.isHidden || last === undefined;
        this.isHidden = false;
        this.#replace([...this.points, { latitude: found.latitude, longitude: found.longitude, at: found.time, isGap, isRecorded: false }]);
    }

    /** The points of a time span, each with whether a line leads to it. */
    between(from, to) {
        const points = this.points.filter((point) => point.at >= from && point.at <= to);
        return points.map((point, index) => ({ ...point, isJoined: index > 0 && isWay(points[index - 1], point) }));
    }

    #hide({ zone, time }) {
        const last = this.zones[this.zones.length - 1];
        if (last?.name === zone && this.isHidden) last.until = Math.max(last.until, time);
        else this.zones = [...this.zones, { name: zone, at: time, until: time }].slice(-placeLimit);
        this.isHidden = true;
        this.version += 1;
    }

    #replace(points) {
        this.points = points.length > pointLimit ? points.slice(-pointLimit) : points;
        this.version += 1;
    }
}

/** Whether the way from a point to the next is known. A record that is missing leaves a gap, too. */
function isWay(one, other) {
    if (other.isGap) return false;
    return other.at - one.at <= unknownAfter || distance(one, other) <= unknownFrom;
}

/** Where the vehicle stood: the place, from when to when. `points` are those of `between`. */
export function stops(points) {
    const result = [];
    for (let index = 0; index < points.length && result.length < placeLimit;) {
        let end = index;
        while (end + 1 < points.length && points[end + 1].isJoined && distance(points[index], points[end + 1]) <= wander) end += 1;
        if (points[end].at - points[index].at >= stopFrom) result.push({ ...points[index], until: points[end].at });
        index = Math.max(end, index + 1);
    }
    return result;
}

/** The length of the known way in meters. */
export const way = (points) => points.reduce((sum, point, index) => sum + (point.isJoined ? distance(points[index - 1], point) : 0), 0);

/** A round number not above this one: 1, 2 or 5 times a power of ten. */
function round(number) {
    const power = 10 ** Math.floor(Math.log10(number));
    return [5, 2, 1].map((step) => step * power).find((step) => step <= number * 1.000001) ?? power;
}

/** The least height and width that a map shows, in meters, so that the wander of a receiver is no journey. */
const leastExtent = 200;

/**
 * A plane map of some points, north up: functions from places to pixels, and its grid.
 *
 * Its scale is right in its middle. At the latitude of Hamburg a map of 100 km is wrong by 1 % at its edges.
 *
 * @param unit the unit in meters of which the bar of the scale is a round number
 */
export function map(points, { width, height, margin, unit = 1 }) {
    const [first] = points;
    const easts = points.map((point) => east(first.longitude, point.longitude));
    const norths = points.map((point) => point.latitude);
    const [low, high, left, right] = [least(norths), most(norths), least(easts), most(easts)];
    const [latitude, longitude] = [(low + high) / 2, (left + right) / 2];
    const degree = radians(1) * radius;
    const perEast = degree * Math.max(0.01, Math.cos(radians(latitude)));
    const [wide, tall] = [Math.max(leastExtent, (right - left) * perEast), Math.max(leastExtent, (high - low) * degree)];
    const scale = Math.min((width - 2 * margin) / wide, (height - 2 * margin) / tall);
    const x = (point) => Math.round((width / 2 + (east(first.longitude, point.longitude) - longitude) * perEast * scale) * 10) / 10;
    const y = (point) => Math.round((height / 2 - (point.latitude - latitude) * degree * scale) * 10) / 10;
    const meters = round(Math.min(width, height) / 3 / scale / unit) * unit;
    return { x, y, meters, pixels: meters * scale };
}

// Math.min(...) has a limit of its own.
const least = (numbers) => numbers.reduce((one, other) => Math.min(one, other), Infinity);
const most = (numbers) => numbers.reduce((one, other) => Math.max(one, other), -Infinity);

/** The track as SVG paths: the recorded way, and the one between positions, which is only roughly known. */
export function paths(points, { x, y }) {
    const lines = { recorded: "", rough: "" };
    let before;
    let drawn;
    points.forEach((point, index) => {
        const place = { x: x(point), y: y(point), name: point.isRecorded ? "recorded" : "rough" };
        // Steps that cannot be seen are left out, but not the last one before an end.
        const isEnd = index === points.length - 1 || !points[index + 1].isJoined || points[index + 1].isRecorded !== point.isRecorded;
        if (point.isJoined && before) {
            const isNear = drawn && Math.hypot(place.x - drawn.x, place.y - drawn.y) < 0.7;
            if (isNear && !isEnd) return;
            if (drawn?.name !== place.name) lines[place.name] += `M${before.x} ${before.y}`;
            lines[place.name] += `L${place.x} ${place.y}`;
            drawn = place;
        } else drawn = undefined;
        before = place;
    });
    return lines;
}
