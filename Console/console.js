// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The page: turns messages of the broker into pictures, shows the pictures, and turns the user's input into commands.

import { connection } from "./connection.js";
import { answer, claims, lifetime, newID, plain } from "./model/commands.js";
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

/** The least time between two redraws, in milliseconds. */
const pace = 250;

let broker;
let fleet;
let current;
let key;
let drawing;
const plotted = new Set();
let choosesPlots = true;
/** The exchanges in flight, by command id. */
const exchanges = new Map();

const picture = () => fleet?.vehicles.get(current);
const state = html("p", { class: "connection", role: "status" }, connectTexts.closed);
const disconnect = html("button", { type: "button", hidden: true, click: () => leave() }, connectTexts.disconnect);
const form = connectView(window.location, enter);

const views = {
    header: headerView(() => send("wake", { duration: 300 })),
    values: valuesView({ plot: toggle, save: () => download("values", csv.values(picture())) }),
    history: historyView({
        remove: toggle,
        changed: () => draw(),
        save: () => download("history", csv.histories(picture(), [...plotted], picture().end(Date.now()) - views.history.minutes() * 60_000)),
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
    finding: findingView((order) => send("record_finding", order).then((over) => over?.state === "succeeded" && views.finding.done())),
    selection: selectionView((order) => send("select_parameters", order)),
};
const list = fleetView(select);
const log = commandsView({ keyChanged: (chosen) => { key = chosen; }, ask: () => send("describe") });

const page = html("div", { class: "page", hidden: true },
    html("div", { class: "column" }, views.header.node, views.values.node, views.history.node, views.capture.node, views.selection.node),
    html("div", { class: "column" }, views.limits.node, views.codes.node, views.trip.node, views.position.node, views.readiness.node, views.finding.node, log.node));
const console_ = html("div", { class: "console", hidden: true }, list.node, page);
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
    broker = connection(where, {
        open() {
            form.node.hidden = true;
            console_.hidden = disconnect.hidden = false;
            form.ready();
            write(state, connectTexts.connected(form.host));
            state.dataset.tone = "good";
            draw();
        },
        lost() {
            write(state, connectTexts.lost);
            state.dataset.tone = "bad";
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
    form.button.focus();
}

function receive(topic, payload, isRetained) {
    const news = fleet?.receive(topic, payload, Date.now(), isRetained);
    if (!news) return;
    if (news.path === "responses") respond(news.vehicle, payload);
    if (news.change === "parameters" && news.vehicle === current) choosePlots(news.picture);
    draw();
}

function select(name) {
    if (name === current) return;
    current = name;
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
    if (!plotted.delete(series)) plotted.add(series);
    draw();
}

function draw() {
    drawing ??= setTimeout(() => {
        drawing = undefined;
        const now = Date.now();
        if (!fleet) return;
        // Shows the first online vehicle to a new visitor.
        const first = fleet.shown[0];
        if (current === undefined && first?.availability === "online") select(first.name);
        list.update(fleet, current, now);
        const shown = picture();
        page.hidden = !shown;
        if (!shown) return;
        for (const name of ["header", "limits", "codes", "trip", "position", "readiness", "finding", "selection", "capture"]) views[name].update(shown, now);
        views.values.update(shown, plotted);
        views.history.update(shown, plotted, now);
    }, pace);
}

/** Sends a command. The promise resolves with the finished exchange, or with undefined if it never began. */
async function send(command, parameters = {}) {
    const [vehicle, chosen, now] = [current, key, Date.now()];
    const order = { id: newID(), command, parameters, vehicle, now };
    const payload = chosen ? await sign(claims(order, chosen.issuer), chosen) : JSON.stringify(plain(order));
    const exchange = new Exchange({ id: order.id, command, vehicle, issuer: chosen?.issuer, sent: now, expires: now + lifetime });
    const over = new Promise((done) => { exchange.done = done; });
    exchanges.set(order.id, exchange);
    show(exchange);
    try {
        await broker.send(vehicle, payload, Math.ceil(lifetime / 1000));
    } catch (error) {
        exchanges.delete(order.id);
        exchange.state = "unanswered";
        show(exchange);
        log.announce(`${commandTexts.names[command]}: ${error.isForbidden ? commandTexts.notPermitted : commandTexts.notSent}`, "bad");
        return undefined;
    }
    return over;
}

function respond(vehicle, payload) {
    const response = answer(parse(new TextDecoder().decode(payload)));
    const exchange = exchanges.get(response?.id);
    if (exchange?.vehicle === vehicle && exchange.receive(response, Date.now())) show(exchange);
}

function show(exchange) {
    log.update(exchange, fleet?.vehicles.get(exchange.vehicle)?.availability === "online");
    if (!exchange.isOver || !exchanges.delete(exchange.id)) return;
    exchange.done(exchange);
}

/** Reads the codes, shows what a clear erases, asks, and clears. */
async function clearCodes() {
    const vehicle = current;
    log.announce(clearTexts.reading);
    const read = await send("read_codes");
    if (read?.state !== "succeeded" || read.answer.reason || current !== vehicle) return;
    askToClear(vehicle, read.answer.result, (order) => send("clear_codes", order));
}

function download(what, text) {
    save(fileName(current, what, new Date().toISOString().slice(0, 19)) + ".csv", "text/csv", text);
}

setInterval(() => {
    for (const exchange of exchanges.values()) if (exchange.passed(Date.now())) show(exchange);
    draw();
}, 1000);
