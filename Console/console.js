// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The page: turns messages of the broker into pictures, shows what the address names, and turns input into commands.

import { connection } from "./connection.js";
import { languages, load, suitable } from "./languages.js";
import { listAddress, parse as parseAddress, vehicleAddress } from "./model/address.js";
import { Choices } from "./model/choices.js";
import { hindrance } from "./model/clear.js";
import { Clock } from "./model/clock.js";
import { EventLog } from "./model/events.js";
import { Fleet } from "./model/fleet.js";
import { parse as parseJSON } from "./model/json.js";
import { Plots } from "./model/plots.js";
import { filters, sorts } from "./model/roster.js";
import { inflate } from "./model/telemetry.js";
import { systems, useUnits } from "./model/units.js";
import { notifier } from "./notifier.js";
import { Orders } from "./orders.js";
import { paper } from "./paper.js";
import { call, currentLanguage, text } from "./texts.js";
import { askToClear } from "./views/clear.js";
import { commandsView } from "./views/commands.js";
import { connectView } from "./views/connect.js";
import { fileName, html, save, write } from "./views/elements.js";
import { fleetView } from "./views/fleet.js";
import { guarded } from "./views/guarded.js";
import { pageView } from "./views/page.js";
import { settingsView } from "./views/settings.js";
import { clock } from "./views/when.js";

/** The least time between two redraws, and the time until the first values of a vehicle are drawn, in milliseconds. */
const pace = 500;
const first = 30;

/** The browser's storage; undefined if the user forbids it. */
function storage() {
    try {
        return window.localStorage;
    } catch {
        return undefined;
    }
}

/** The page, once its texts are there. */
function console_(choices) {
    let broker;
    let fleet;
    let current;
    /** Whether the page shows what the address names. */
    let isRouted = false;
    let drawing;
    let drawn = 0;
    /** The search, the order and the filter of the list. */
    let query = {};
    /** What closes the dialog that asks about a clear; undefined while there is none. */
    let closeDialog;

    /** The clock of ages and plots. Commands go by the clock that the user sees. */
    const ages = new Clock();
    function present() {
        const { jumps } = ages;
        const now = ages.read(performance.now(), Date.now());
        if (ages.jumps !== jumps) fleet?.jumped();
        return now;
    }
    /** Whether there is room for the list or one part of a vehicle only. */
    const isNarrow = window.matchMedia("(max-width: 820px)");
    const picture = () => fleet?.vehicles.get(current);
    const orders = new Orders((exchange) => log.update(exchange, fleet?.vehicles.get(exchange.vehicle)?.availability === "online"));

    /** What the parts of a vehicle can do, and what they share. */
    const actions = {
        choices,
        /** The series that are plotted. */
        plots: new Plots(),
        /** The events that have arrived, of all vehicles. */
        events: new EventLog(),
        notify: notifier({ open: (vehicle) => { window.location.hash = vehicleAddress(vehicle, "events"); }, changed: chooseNotifications }),
        picture,
        now: present,
        draw: () => draw(),
        /** Sends a command to a vehicle, by default the shown one. The promise resolves with the finished exchange. */
        send: (command, parameters = {}, vehicle = current) => orders.send(broker, vehicle, command, parameters),
        toggle,
        clearCodes,
        /** Whether the codes are read for a clear, or the user is asked about it. */
        isClearing: false,
        /** Goes to a part of the vehicle. */
        go: (part) => { window.location.hash = vehicleAddress(current, part); },
        /** Saves a text as a CSV file of the vehicle. */
        download: (what, words) => save(`${fileName(current, what, new Date().toISOString().slice(0, 19))}.csv`, "text/csv", words),
    };
    const log = commandsView({ keyChanged: (key) => { orders.key = key; }, ask: () => actions.send("describe") });
    actions.log = log;
    actions.notify.resume(choices.one("notify", ["off", "on"]) === "on", choices.has("notifyKinds") ? choices.list("notifyKinds") : undefined);

    const state = html("p", { class: "connection", role: "status" }, text("connect.closed"));
    const disconnect = html("button", { type: "button", hidden: true, click: () => leave() }, text("connect.disconnect"));
    const form = connectView(window.location, enter, (language) => {
        choices.keep("language", language);
        window.location.reload();
    });
    const page = pageView(actions, isNarrow);
    const list = guarded(fleetView(search));
    const settings = settingsView(choices, () => {
        useUnits(choices.one("units", systems));
        page.hide(choices.list("hidden"));
        draw();
    });
    useUnits(choices.one("units", systems));
    page.hide(choices.list("hidden"));
    paper(() => body.dataset.shown === "vehicle" && picture() && { picture: picture(), isConnected: fleet.isConnected, now: present() },
        () => fleet && body.dataset.shown === "list" && list.sheet());
    const body = html("div", { class: "console", "data-shown": "list", hidden: true }, list.node, page.node);
    const skip = document.querySelector(".skip");
    const main = document.querySelector("main");
    write(skip, text("page.skip"));
    // Its address would replace that of the vehicle.
    skip.addEventListener("click", (event) => {
        event.preventDefault();
        main.focus();
    });
    document.querySelector("header .actions").append(state, settings.node, disconnect);
    main.append(form.node, body);
    document.body.append(log.bar);
    form.button.focus();
    window.addEventListener("hashchange", () => route());
    document.addEventListener("visibilitychange", () => draw());
    // The browser may keep the page for its Back button, which the next user may press.
    window.addEventListener("pagehide", (event) => {
        if (!event.persisted) return;
        if (fleet) leave();
        else form.forget();
    });
    setInterval(() => {
        orders.passed();
        draw();
    }, 1000);

    function enter(where) {
        fleet = new Fleet(where.prefix);
        actions.events = new EventLog();
        const address = parseAddress(window.location.hash);
        query = {
            search: address.search ?? (address.isAddress ? "" : choices.text("search")),
            sort: address.sort ?? choices.one("sort", sorts),
            filter: address.filter ?? (address.isAddress ? filters[0] : choices.one("filter", filters)),
        };
        list.show(query);
        isRouted = false;
        broker = connection(where, present, {
            open() {
                fleet.opened();
                form.node.hidden = true;
                body.hidden = settings.node.hidden = disconnect.hidden = false;
                form.ready();
                write(state, text("connect.connected", { host: form.host }));
                state.dataset.tone = "good";
                // A connection that is back leaves the page where the user is.
                if (isRouted) draw();
                else route();
            },
            lost() {
                fleet.lost(present());
                write(state, text("connect.lost", { time: clock(Date.now()) }));
                state.dataset.tone = "bad";
                draw();
            },
            named() {
                welcome();
                draw();
            },
            complete(names) {
                fleet.complete(names);
                draw();
            },
            failed(isNotPermitted) {
                if (!body.hidden) leave();
                form.fail(isNotPermitted ? text("connect.notPermitted") : text("connect.unreachable", { url: `${where.protocol}://${form.host}${where.path}` }));
            },
            message: receive,
        });
        broker.watchEvents(actions.notify.state() === "on");
    }

    function leave() {
        closeDialog?.();
        broker.close();
        orders.end();
        page.forget();
        form.forget();
        broker = fleet = current = undefined;
        body.hidden = page.node.hidden = settings.node.hidden = disconnect.hidden = log.bar.hidden = true;
        form.node.hidden = false;
        write(state, text("connect.closed"));
        delete state.dataset.tone;
        form.button.focus();
    }

    /** The user has chosen whether events notify, and which of them. */
    function chooseNotifications() {
        const isOn = actions.notify.state() === "on";
        choices.keep("notify", isOn ? "on" : "off");
        choices.keep("notifyKinds", [...actions.notify.kinds()]);
        broker?.watchEvents(isOn);
    }

    function receive(topic, payload, isRetained, isAgain) {
        if (topic.endsWith("/telemetry/zlib")) {
            inflate(payload).then((record) => record && receive(topic.slice(0, -"/zlib".length), record, isRetained, isAgain));
            return;
        }
        const news = fleet?.receive(topic, payload, present(), isRetained);
        if (!news) return;
        if (news.path === "responses") orders.receive(news.vehicle, payload);
        if (news.path === "events") {
            const event = actions.events.receive(news.vehicle, parseJSON(new TextDecoder().decode(payload)));
            if (event) actions.notify.receive(event, Date.now(), isAgain);
        }
        if (news.change === "parameters" && news.vehicle === current) {
            actions.plots.suggest(news.picture.histories);
            if (news.picture.parameters.size === 1) return draw(first);
        }
        draw();
    }

    /** Shows what the address names. The user, a link, or the browser's history may have changed it. */
    function route() {
        if (!fleet) return;
        isRouted = true;
        // It is about the vehicle that was shown.
        closeDialog?.();
        const { isAddress, vehicle, part, ...wanted } = parseAddress(window.location.hash);
        if (!isAddress) return draw();
        const isNew = body.dataset.shown !== (vehicle ? "vehicle" : "list");
        body.dataset.shown = vehicle ? "vehicle" : "list";
        if (vehicle) {
            const isOther = current !== vehicle;
            select(vehicle);
            page.show(vehicle, part);
            if (isNarrow.matches) window.scrollTo(0, 0);
            // What is hidden gets no focus.
            drawNow();
            if (isNew || isOther) page.header.title.focus({ preventScroll: true });
            return;
        }
        if (window.location.hash !== listAddress(query)) {
            query = { search: wanted.search ?? "", sort: wanted.sort ?? query.sort, filter: wanted.filter ?? filters[0] };
            list.show(query);
        }
        drawNow();
        if (isNew && isNarrow.matches) list.focus(current);
    }

    /** The user searches or orders the list. */
    function search(wanted) {
        query = wanted;
        for (const [name, value] of Object.entries(query)) choices.keep(name, value);
        list.show(query);
        // Beside a vehicle the address remains that of the vehicle.
        if (body.dataset.shown === "list") window.history.replaceState(undefined, "", listAddress(query));
        draw(0);
    }

    function select(name) {
        if (name === current) return;
        current = name;
        fleet.follow(name, present());
        actions.plots.reset(choices.list("series").map((group) => group.split(" ")));
        broker.follow(name);
        if (picture()) actions.plots.suggest(picture().histories);
    }

    function toggle(series) {
        const isNew = actions.plots.toggle(series);
        // The plot may be far from the tile, or in a part that is not shown.
        if (isNew) page.reveal(series);
        if (isNew && isNarrow.matches) actions.go("history");
        draw();
    }

    /** Shows the first online vehicle to a visitor who has named none, once all names are known. */
    function welcome() {
        if (!fleet || !broker.loading.hasRoom || parseAddress(window.location.hash).isAddress) return;
        const vehicle = fleet.first;
        if (!vehicle) return;
        window.history.replaceState(undefined, "", vehicleAddress(vehicle.name));
        route();
    }

    /** Draws soon: at the usual pace, or after the given time in milliseconds. */
    function draw(within) {
        if (within !== undefined) {
            clearTimeout(drawing);
            drawing = undefined;
        }
        drawing ??= setTimeout(drawNow, within ?? Math.max(0, pace - (performance.now() - drawn)));
    }

    function drawNow() {
        clearTimeout(drawing);
        drawing = undefined;
        drawn = performance.now();
        if (!fleet || document.hidden) return;
        const now = present();
        welcome();
        const showsVehicle = body.dataset.shown === "vehicle";
        if (!showsVehicle || !isNarrow.matches) list.update(fleet, current, now, broker.loading);
        write(document.querySelector("title"), showsVehicle ? `${current} · ${text("page.title")}` : text("page.title"));
        page.node.hidden = !showsVehicle;
        if (!showsVehicle) return;
        page.header.count(fleet.count, fleet.isConnected, query);
        call(picture()?.vehicle?.titles);
        page.update(picture(), now, broker.loading.hasRoom);
    }

    /** Reads the codes, shows what a clear erases, asks, and clears: all of it for the vehicle that is shown at the beginning. */
    async function clearCodes() {
        if (actions.isClearing) return;
        const vehicle = current;
        setClearing(true);
        log.announce(text("clear.reading"));
        const read = await actions.send("read_codes", {}, vehicle);
        if (read.state !== "succeeded" || read.answer.reason || current !== vehicle || body.dataset.shown !== "vehicle") return setClearing(false);
        const report = read.answer.result;
        closeDialog = askToClear({
            name: vehicle,
            report,
            hindrance: () => hindrance(fleet?.vehicles.get(vehicle), { isConnected: fleet?.isConnected === true, report }, present()),
            closed: () => {
                closeDialog = undefined;
                setClearing(false);
            },
        }, (order) => actions.send("clear_codes", order, vehicle));
    }

    function setClearing(isClearing) {
        actions.isClearing = isClearing;
        draw(0);
    }
}

async function start() {
    const choices = new Choices(storage());
    const language = suitable([choices.text("language"), ...window.navigator.languages], languages);
    try {
        await load(language);
    } catch (error) {
        // Not even the English texts are there.
        document.querySelector("main").append(
            html("p", {}, `This page cannot load its texts (${error.message}). Try: open it from the broker or a web server, at http:// or https://.`));
        return;
    }
    document.documentElement.lang = currentLanguage();
    document.title = text("page.title");
    if (window.top !== window) {
        // A page around this one could lead a click onto "Clear".
        document.querySelector("main").append(html("p", {}, text("connect.framed")));
        return;
    }
    console_(choices);
}

start();
