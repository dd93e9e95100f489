// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The page: turns messages of the broker into pictures, shows the pictures, and turns the user's input into commands.

import { connection } from "./connection.js";
import { answer, claims, lifetime, newID, plain } from "./model/commands.js";
import { obstacle } from "./model/clear.js";
import { Clock } from "./model/clock.js";
import { grouped } from "./model/codes.js";
import * as csv from "./model/csv.js";
import { Exchange } from "./model/exchange.js";
import { Fleet } from "./model/fleet.js";
import { parse } from "./model/json.js";
import { sign } from "./model/signing.js";
import { clear as clearTexts, codes as codeTexts, commands as commandTexts, connect as connectTexts } from "./texts.en.js";
import { captureView } from "./views/capture.js";
import { askToClear } from "./views/clear.js";
import { codesView, readinessView } from "./views/codes.js";
import { commandsView } from "./views/commands.js";
import { connectView } from "./views/connect.js";
import { fileName, html, save, write } from "./views/elements.js";
import { findingView } from "./views/finding.js";
import { fleetView } from "./views/fleet.js";
import { headerView } from "./views/header.js";
import { historyView } from "./views/history.js";
import { limitsView } from "./views/limits.js";
import { positionView } from "./views/position.js";
import { selectionView } from "./views/selection.js";
import { tripView } from "./views/trip.js";
import { valuesView } from "./views/values.js";
import { clock } from "./views/when.js";

/** The least time between two redraws, in milliseconds. */
const pace = 250;

let broker;
let fleet;
let current;
let key;
let drawing;
let drawn = 0;
const plotted = new Set();
let choosesPlots = true;
/** The exchanges in flight, by command id. */
const exchanges = new Map();

/** The clock of ages and plots. Commands go by the clock that the user sees. */
const ages = new Clock();
const present = () => ages.read(performance.now(), Date.now());
/** Whether there is room for the list or a vehicle only. */
const isNarrow = window.matchMedia("(max-width: 820px)");

const picture = () => fleet?.vehicles.get(current);
const state = html("p", { class: "connection", role: "status" }, connectTexts.closed);
const disconnect = html("button", { type: "button", hidden: true, click: () => leave() }, connectTexts.disconnect);
const form = connectView(window.location, enter);

const views = {
    header: headerView({ wake: () => send("wake", { duration: 300 }), back: () => back() }),
    values: valuesView({ plot: toggle, save: () => download("values", csv.values(picture())) }),
    history: historyView({
        remove: toggle,
        changed: () => draw(),
        save: () => download("history", csv.histories(picture(), [...plotted], picture().end(present()) - views.history.minutes() * 60_000)),
    }),
    codes: codesView({
        read: () => send("read_codes"),
        clear: () => clearCodes(),
        save: () => download("codes", csv.codes(picture(), grouped(picture().codes).map((group) => ({ ...group, name: codeTexts.group(group.name) })))),
    }),
    readiness: readinessView({ read: () => send("read_monitors") }),
    limits: limitsView(),
    trip: tripView(),
    position: positionView(),
    capture: captureView({
        ask: () => send("capture"),
        save: (found) => found && download("capture", csv.captured(picture(), found)),
    }),
    finding: findingView((order) => send("record_finding", order).then((over) => over.state === "succeeded" && views.finding.done())),
    selection: selectionView((order) => send("select_parameters", order)),
};
const list = fleetView(choose);
const log = commandsView({ keyChanged: (chosen) => { key = chosen; }, ask: () => send("describe") });

const page = html("div", { class: "page", hidden: true },
    html("div", { class: "column" }, views.header.node, views.values.node, views.history.node, views.capture.node, views.selection.node),
    html("div", { class: "column" }, views.limits.node, views.codes.node, views.trip.node, views.position.node, views.readiness.node, views.finding.node, log.node));
const console_ = html("div", { class: "console", "data-shown": "list", hidden: true }, list.node, page);
document.querySelector("header .actions").append(state, disconnect);
document.querySelector("main").append(form.node, console_);
document.body.append(log.bar);
form.button.focus();
if (window.top !== window) {
    // A page around this one could lead a click onto "Clear".
    document.querySelector("main").replaceChildren(html("p", {}, connectTexts.framed));
    disconnect.remove();
    log.bar.remove();
}

function enter(where) {
    fleet = new Fleet(where.prefix);
    broker = connection(where, present, {
        open() {
            fleet.opened();
            form.node.hidden = true;
            console_.hidden = disconnect.hidden = false;
            form.ready();
            write(state, connectTexts.connected(form.host));
            state.dataset.tone = "good";
            draw();
        },
        lost() {
            fleet.lost(present());
            write(state, connectTexts.lost(clock(Date.now())));
            state.dataset.tone = "bad";
            draw();
        },
        named() {
            welcome(fleet.shown);
            draw();
        },
        complete(names) {
            fleet.complete(names);
            draw();
        },
        failed(isNotPermitted) {
            form.fail(isNotPermitted ? connectTexts.notPermitted : connectTexts.unreachable(`${where.protocol}://${form.host}${where.path}`));
        },
        message: receive,
    });
}

function leave() {
    broker.close();
    for (const exchange of exchanges.values()) exchange.done(exchange);
    exchanges.clear();
    broker = fleet = current = undefined;
    console_.hidden = page.hidden = disconnect.hidden = log.bar.hidden = true;
    form.node.hidden = false;
    write(state, connectTexts.closed);
    delete state.dataset.tone;
    show("list");
    form.button.focus();
}

function receive(topic, payload, isRetained) {
    const news = fleet?.receive(topic, payload, present(), isRetained);
    if (!news) return;
    if (news.path === "responses") respond(news.vehicle, payload);
    if (news.change === "parameters" && news.vehicle === current) choosePlots(news.picture);
    draw();
}

/** The user has chosen a vehicle: the page goes to it, also if it is the same again. */
function choose(name) {
    select(name);
    show("vehicle");
    if (!isNarrow.matches) return;
    window.scrollTo(0, 0);
    views.header.title.focus({ preventScroll: true });
}

/** Shows the list or the vehicle, where there is no room for both. */
function show(part) {
    console_.dataset.shown = part;
}

function back() {
    show("list");
    list.focus(current);
}

function select(name) {
    if (name === current) return;
    current = name;
    fleet.follow(name, present());
    plotted.clear();
    choosesPlots = true;
    views.values.reset();
    views.history.reset();
    broker.follow(name);
    choosePlots(picture());
    draw();
}

/** The default plots, until the user chooses: speeds, or the first series. */
function choosePlots({ histories }) {
    if (!choosesPlots) return;
    for (const series of ["engine_speed", "vehicle_speed"]) if (histories.has(series)) plotted.add(series);
}

function toggle(series) {
    choosesPlots = false;
    const isNew = !plotted.delete(series);
    if (isNew) plotted.add(series);
    draw();
    // The plot may be far from the tile.
    if (isNew) views.history.reveal(series);
}

/** Shows the first online vehicle to a new visitor, once all names are known. */
function welcome([first]) {
    if (current !== undefined || !broker.loading.hasRoom || first?.availability !== "online") return;
    select(first.name);
    show("vehicle");
}

function draw() {
    drawing ??= setTimeout(() => {
        drawing = undefined;
        drawn = performance.now();
        const now = present();
        if (!fleet) return;
        const vehicles = fleet.shown;
        welcome(vehicles);
        list.update(fleet, vehicles, current, now, broker.loading);
        const shown = picture();
        page.hidden = !shown;
        if (!shown) return show("list");
        views.header.count(vehicles.length, fleet.isConnected);
        for (const name of ["header", "limits", "codes", "trip", "position", "readiness", "finding", "selection", "capture"]) views[name].update(shown, now);
        views.values.update(shown, plotted, now);
        views.history.update(shown, plotted, now);
    }, Math.max(0, pace - (performance.now() - drawn)));
}

/** Sends a command. The promise resolves with the finished exchange. */
async function send(command, parameters = {}) {
    const [vehicle, chosen, now] = [current, key, Date.now()];
    const order = { id: newID(), command, parameters, vehicle, now };
    const payload = chosen ? await sign(claims(order, chosen.issuer), chosen) : JSON.stringify(plain(order));
    const exchange = new Exchange({ id: order.id, command, vehicle, issuer: chosen?.issuer, sent: now, expires: now + lifetime });
    const over = new Promise((done) => { exchange.done = done; });
    exchanges.set(order.id, exchange);
    report(exchange);
    broker.send(vehicle, payload, Math.ceil(lifetime / 1000)).then(
        () => exchange.acknowledged() && report(exchange),
        (error) => {
            exchange.isForbidden = error.isForbidden;
            if (exchange.failed(error)) report(exchange);
        });
    return over;
}

function respond(vehicle, payload) {
    const response = answer(parse(new TextDecoder().decode(payload)));
    const exchange = exchanges.get(response?.id);
    if (exchange?.vehicle === vehicle && exchange.receive(response, Date.now())) report(exchange);
}

function report(exchange) {
    log.update(exchange, fleet?.vehicles.get(exchange.vehicle)?.availability === "online");
    if (!exchange.isOver || !exchanges.delete(exchange.id)) return;
    exchange.done(exchange);
}

/** Reads the codes, shows what a clear erases, asks, and clears. */
async function clearCodes() {
    const vehicle = current;
    log.announce(clearTexts.reading);
    const read = await send("read_codes");
    if (read.state !== "succeeded" || read.answer.reason || current !== vehicle) return;
    const refusal = () => (fleet ? obstacle(picture(), present()) : undefined);
    askToClear({ name: vehicle, report: read.answer.result, refusal }, (order) => send("clear_codes", order));
}

function download(what, text) {
    save(fileName(current, what, new Date().toISOString().slice(0, 19)) + ".csv", "text/csv", text);
}

setInterval(() => {
    for (const exchange of exchanges.values()) if (exchange.passed(Date.now())) report(exchange);
    draw();
}, 1000);
