// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The way of the vehicle on a grid, north up, and its places as a table. No map is loaded from anywhere.

import * as csv from "../model/csv.js";
import { map, paths, stops, way } from "../model/track.js";
import { unitIn, units } from "../model/units.js";
import { decimal, text } from "../texts.js";
import { html, svg, write } from "./elements.js";
import { clock, date, minute } from "./when.js";

const height = 300;
const margin = 34;
const mile = 1609.344;
const hasMiles = () => unitIn("km", units()) === "mi";

const length = (meters) => {
    if (hasMiles()) return `${decimal(meters / mile)} mi`;
    return meters < 1000 ? `${decimal(meters, 0)} m` : `${decimal(meters / 1000)} km`;
};
const during = ({ at, until }) => [...new Set([at, until].map(minute))].join(" – ");
const place = ({ latitude, longitude }) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;

/** @param actions `picture()` and `download(what, text)` of the page */
export function trackView({ picture: present, download }) {
    const layers = { grid: svg("g", { class: "grid" }), rough: svg("path", { class: "way rough", fill: "none" }), recorded: svg("path", { class: "way", fill: "none" }), marks: svg("g"), scale: svg("g", { class: "scale" }) };
    const picture = svg("svg", { class: "track-map", height, role: "img" }, Object.values(layers));
    const file = html("button", { type: "button", class: "small", "aria-label": text("track.csv"), click: () => download("track", csv.track(present(), points)) }, text("files.button"));
    const facts = html("p", { class: "quiet" });
    const rows = html("tbody");
    const frame = html("div", {}, picture);
    const node = html("section", { class: "card track-card", "aria-labelledby": "track-heading" },
        html("div", { class: "line" }, html("h3", { id: "track-heading", tabindex: "-1" }, text("track.heading")), file), facts, frame,
        html("p", { class: "quiet" }, text("track.legend")),
        html("details", {}, html("summary", {}, text("track.table")), html("table", {},
            html("thead", {}, html("tr", {}, ["what", "time", "place"].map((column) => html("th", { scope: "col" }, text(`track.columns.${column}`))))), rows)));
    let points = [];
    let [width, span, shownContent] = [0, undefined, undefined];

    new ResizeObserver(() => {
        // Measured here, because that costs a layout elsewhere.
        width = frame.clientWidth;
        if (present()) update(present());
    }).observe(frame);

    const mark = (projection, point, kind, label) => svg("g", { class: `place ${kind}`, transform: `translate(${projection.x(point)} ${projection.y(point)})` },
        svg("title", {}, label), svg("circle", { r: kind === "stop" ? 5 : 7 }));

    function drawMap(places) {
        const projection = map(points, { width, height, margin, unit: hasMiles() ? mile : 1 });
        const lines = paths(points, projection);
        layers.recorded.setAttribute("d", lines.recorded);
        layers.rough.setAttribute("d", lines.rough);
        const { pixels, meters } = projection;
        const steps = (size) => Array.from({ length: Math.floor(size / pixels) + 1 }, (_, index) => Math.round(((size / 2) % pixels) + index * pixels)).filter((at) => at <= size);
        layers.grid.replaceChildren(
            ...steps(width).map((at) => svg("line", { x1: at, x2: at, y1: 0, y2: height })), ...steps(height).map((at) => svg("line", { x1: 0, x2: width, y1: at, y2: at })));
        layers.marks.replaceChildren(...places.filter((one) => one.point).map((one) => mark(projection, one.point, one.kind, `${one.name}, ${one.time}`)));
        layers.scale.replaceChildren(
            svg("path", { fill: "none", d: `M10 ${height - 16}v6h${Math.round(pixels)}v-6` }), svg("text", { x: 14, y: height - 18 }, length(meters)),
            svg("path", { class: "north", d: `M${width - 18} 8l6 16l-6 -4l-6 4Z` }), svg("text", { x: width - 18, y: 38, "text-anchor": "middle" }, text("track.north")));
    }

    /** The places of the way by time: its ends, its stops, and the zones that have hidden the vehicle. */
    function listed(track) {
        const [first, last] = [points[0], points[points.length - 1]];
        const found = stops(points).map((stop) => ({ at: stop.at, kind: "stop", name: text("track.stop", { minutes: Math.round((stop.until - stop.at) / 60_000) }), time: during(stop), point: stop }));
        for (const zone of track.zones.filter((one) => one.until >= (span?.from ?? -Infinity) && one.at <= (span?.to ?? Infinity))) {
            // The last place before the zone is all that is known.
            const before = points.filter((point) => point.at <= zone.at).pop();
            found.push({ at: zone.at, kind: "zone", name: text("track.zone", { name: zone.name }), time: during(zone), point: before && zone.at - before.at < 180_000 ? before : undefined });
        }
        if (first) found.push({ at: first.at - 1, kind: "start", name: text("track.start"), time: date(first.at), point: first });
        if (last) found.push({ at: Math.max(last.at, ...found.map((one) => one.at)) + 1, kind: "end", name: text("track.end"), time: date(last.at), point: last });
        return found.sort((one, other) => one.at - other.at);
    }

    function update(vehicle) {
        const { track } = vehicle;
        const content = `${vehicle.name} ${track.version} ${width} ${units()} ${span?.from} ${span?.to}`;
        if (content === shownContent) return;
        shownContent = content;
        points = track.between(span?.from ?? -Infinity, span?.to ?? Infinity);
        node.hidden = track.points.length === 0 && track.zones.length === 0;
        frame.hidden = points.length === 0;
        file.disabled = points.length === 0;
        if (node.hidden) return;
        const places = listed(track);
        const count = places.filter((one) => one.kind === "stop").length;
        const words = points.length === 0 ? text(span ? "track.noneOfTrip" : "track.none") : text("track.describe", {
            length: length(way(points)), from: date(points[0].at), to: clock(points[points.length - 1].at), stops: text("track.stops", { count }),
        });
        write(facts, words);
        picture.setAttribute("aria-label", words);
        rows.replaceChildren(...places.map((one) => html("tr", {}, html("th", { scope: "row" }, one.name), html("td", {}, one.time),
            html("td", {}, one.kind !== "zone" && one.point ? place(one.point) : ""))));
        if (points.length > 0 && width >= 100) drawMap(places);
    }

    /** Shows the way of a time span only; without one all that is known. */
    function choose(chosen) {
        // What the fix of a trip's end needs belongs to it.
        span = chosen && { from: chosen.from - 15_000, to: chosen.to + 15_000 };
    }
    return { node, update, choose };
}
