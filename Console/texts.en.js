// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Every text of the page, in English. For another language, translate this file.

/** `engine_speed` as people write it, where nothing better stands below. */
const words = (name) => {
    const text = name.replace(/_/g, " ").replace(/\bb(\d)s(\d)\b/, "bank $1 sensor $2").replace(/\bo2\b/g, "O2")
        .replace(/\begr\b/g, "EGR").replace(/\bevap\b/g, "EVAP").replace(/\bnox\b/g, "NOx").replace(/\bobd\b/g, "OBD").replace(/\bmil\b/g, "MIL")
        .replace(/ system(\d)$/, " $1");
    return text.charAt(0).toUpperCase() + text.slice(1);
};

const parameters = { control_module_voltage: "Battery voltage", mass_air_flow: "Air mass flow" };

export const language = "en";

export const connect = {
    heading: "Connect",
    intro: "See what your vehicles say, live. This page talks to the broker that served it, and to nobody else.",
    broker: "Broker",
    name: "Name",
    password: "Password",
    optional: "leave empty if your broker asks for none",
    more: "More",
    prefix: "What all topics begin with",
    path: "Path of the broker's WebSocket",
    button: "Connect",
    connecting: "Connecting …",
    disconnect: "Disconnect",
    connected: (host) => `Connected to ${host}`,
    lost: "The connection is lost. Trying again …",
    closed: "Not connected",
    insecure: "Without https, others in this network can read along, the password too.",
    notPermitted: "The broker does not let you in: look at name and password.",
    unreachable: (url) => `The broker does not answer at ${url}.`,
    wrongPrefix: "What topics begin with must have no + or #, and no / at its beginning or end.",
    framed: "This page is inside another page, and does nothing there. Open it by itself.",
    fromFile: "This page has to be served by the broker: open it over http:// or https://.",
};

export const key = {
    label: "Signing key",
    hint: "A JWK file that obd-agent remote key has made. It stays in this page, and is forgotten when you leave.",
    none: "Commands go unsigned.",
    use: (issuer, kid) => (issuer === kid ? `Commands are signed by ${issuer}.` : `Commands are signed by ${issuer}, key ${kid}.`),
    forget: "Forget the key",
    problems: {
        unavailable: "Browsers sign only on pages from https:// or from this very machine (localhost). Commands go unsigned.",
        malformed: "This is no private key that obd-agent remote key has made (EC, P-256, with a kid).",
        public: "This is the public part of a key; the private one has a member d.",
    },
};

export const fleet = {
    heading: "Vehicles",
    none: "No vehicle has said anything yet.",
    noneHint: (prefix) => `Waiting for messages below ${prefix}/. If none come: does an agent run with this broker, and may you read its topics?`,
    online: "online",
    offline: "offline",
    parked: "parked",
    unknown: "not heard of",
    codes: (count) => (count === undefined ? "codes not known" : count === 0 ? "no codes" : count === 1 ? "1 code" : `${count} codes`),
    lastSeen: (when) => `last seen ${when}`,
    simulated: "simulated",
};

export const vehicle = {
    links: { connecting: "on the way to the adapter", searching: "looking for the vehicle", connected: "vehicle answers", waiting: "waiting to try again" },
    unconfirmed: "Nobody knows yet whether this is the vehicle that the adapter is plugged into.",
    offline: "The agent is offline. What you see is what it said last.",
    parked: "The vehicle is parked, and left alone. What you see is from before.",
    ignition: (state) => `ignition ${state}`,
    facts: { vin: "VIN", protocol: "Bus", adapter: "Adapter", voltage: "Battery", version: "Agent", lastSeen: "Last seen", link: "Link" },
    wake: "Wake the vehicle",
    places: "On this page",
};

export const files = { button: "CSV" };

export const lamp = { on: "Warning lamp on", off: "Warning lamp off", unknown: "Warning lamp not known" };

export const values = {
    heading: "Values",
    none: "Nothing is read yet. Choose what, below.",
    plot: (name) => `Plot ${name}`,
    csv: "Save values as CSV",
    old: "old",
    stale: "The vehicle has not answered this for a while",
    parameter: (name) => parameters[name] ?? words(name),
    series: (series) => {
        const [name, ecu] = series.split("/");
        return (parameters[name] ?? words(name)) + (ecu ? ` (${ecu})` : "");
    },
};

export const history = {
    heading: "History",
    none: "Choose Plot at a value to see how it changes.",
    window: "Time shown",
    windows: [[2, "2 minutes"], [10, "10 minutes"], [60, "1 hour"]],
    remove: (name) => `Remove the plot of ${name}`,
    removeShort: "Remove",
    describe: (name, unit, low, high, last) => `${name}: between ${low} and ${high} ${unit}, now ${last} ${unit}`,
    table: "As a table",
    columns: ["Time", "Lowest", "Highest", "Last"],
    ago: (minutes) => (minutes === 0 ? "now" : `${minutes} min ago`),
    csv: "Save history as CSV",
};

export const codes = {
    heading: "Trouble codes",
    read: "Read codes",
    clear: "Clear codes …",
    csv: "Save codes as CSV",
    none: "The vehicle has no trouble codes.",
    unknown: "The codes could not be read: there may be some.",
    neverRead: "Nobody has read the codes yet.",
    unread: (states) => `Could not be read: the ${states} codes.`,
    states: { stored: "stored", pending: "pending", permanent: "permanent" },
    group: (name) => {
        const [category, group] = name.split(":");
        return [category, group].filter(Boolean).map(words).join(": ") || "Others";
    },
    frame: (code, ecu) => `Freeze frame of ${code}, ${ecu}`,
    frameShort: "Freeze frame",
    frameColumns: ["Parameter", "Value"],
    frameUnread: (names) => `Could not be read: ${names}`,
    asOf: (when) => `read ${when}`,
};

export const readiness = {
    heading: "Readiness",
    none: "No readiness has been read yet.",
    complete: "complete",
    incomplete: "incomplete",
    all: "All monitors are complete.",
    some: (count) => (count === 1 ? "1 monitor is incomplete." : `${count} monitors are incomplete.`),
    read: "Read readiness",
    name: (name) => ({ gpf_or_ac: "Particulate filter or air conditioning", nox_scr: "NOx catalyst (SCR)", egr_vvt: "EGR or variable valves", o2_heater: "O2 sensor heater" })[name] ?? words(name),
};

export const clear = {
    heading: (name) => `Clear the codes of ${name}?`,
    erases: "This erases, for good:",
    nothing: "no codes; only what else stands here",
    unreadList: (state) => `the ${state} codes, which could not be read: nobody knows what is lost`,
    frame: (ecu, code) => `the freeze frame of ${ecu}, stored with ${code ?? "a code"}`,
    framePart: (names) => `, of which could not be read: ${names}`,
    frameUnread: (ecu) => `the freeze frame of ${ecu}, if it has one: it could not be read`,
    readiness: "readiness for an inspection, and what the on-board tests came to",
    permanent: (codes) => `Permanent codes stay until their ECU has seen the fault gone: ${codes}`,
    guard: "The agent keeps a copy first, and clears only while the vehicle stands with its engine off, and only if it has no other codes than these.",
    incomplete: "Clear although not everything could be read, and give up what could not",
    confirm: (codes) => (codes.length === 0 ? "Clear" : `Clear ${codes.join(", ")}`),
    cancel: "Cancel",
    gone: "Gone",
    stayed: "Stayed",
    unknown: "Not known",
    reading: "Reading the codes first, so that you see what a clear erases …",
};

export const selection = {
    heading: "What is read",
    open: "Choose what is read, and how often",
    none: "The vehicle has not said yet what it has.",
    find: "Find",
    read: (name) => `Read ${name}`,
    seconds: (name) => `Seconds between two readings of ${name}`,
    columns: ["Parameter", "Every … seconds"],
    duration: "For",
    durations: [["", "from now on"], ["600", "10 minutes"], ["3600", "1 hour"]],
    apply: "Select",
    unchanged: "Nothing is changed.",
    wrong: (name) => `${name}: seconds go from 0.05 to 86400.`,
    empty: "Choose one parameter at least.",
};

export const finding = {
    heading: "Finding",
    none: "Nobody has recorded a finding about this vehicle.",
    by: (issuer) => (issuer ? `by ${issuer}` : "unsigned"),
    about: (codes) => `about ${codes}`,
    write: "Write a finding",
    text: "What you found out",
    textHint: "The driver and the owner see it; it stays with the vehicle.",
    codes: "Codes that it is about",
    severity: "How soon something has to be done",
    severities: { info: "For information", attention: "Needs attention", urgent: "Urgent" },
    record: "Record the finding",
    empty: "Write what you found out first.",
    wrongCodes: (words) => `These are no codes: ${words}`,
};

export const commands = {
    heading: "Commands",
    none: "Nothing has been sent yet.",
    names: {
        describe: "Ask what is allowed", read_codes: "Read codes", clear_codes: "Clear codes", select_parameters: "Select parameters",
        read_monitors: "Read readiness", record_finding: "Record a finding", wake: "Wake the vehicle",
    },
    sent: (isOnline, until) => (isOnline ? "sent" : `sent; the vehicle is offline, and obeys it if it is back by ${until}`),
    states: { accepted: "accepted", running: "running", succeeded: "done", failed: "failed", refused: "refused" },
    progress: (step, steps, doing) => `running, ${step} of ${steps}: ${doing}`,
    doubted: "refused by somebody who does not name your key; waiting for a better answer. The agent may not trust your key.",
    unanswered: "no answer came in time",
    notPermitted: "the broker does not let you send commands",
    notSent: "it could not be sent",
    dismiss: "Dismiss",
    unsignedHint: "This agent does not take this from who has not signed. Choose your signing key under Commands, or let its owner set unsigned_role.",
    ask: "What may I do here?",
    allowed: (names, role) => `The agent allows: ${names}. Unsigned: ${role}.`,
    selected: (missing) => (missing === "" ? "" : `The vehicle does not have: ${missing}.`),
};

/** The reasons of docs/contract, in words. */
export const reasons = {
    malformed: "the command was malformed",
    unknown_command: "the agent does not know this command",
    bad_arguments: "something in the command is wrong",
    bad_signature: "the agent does not trust this key",
    unsigned: "it has to be signed",
    role_insufficient: "your role does not allow it",
    rate_limited: "too many commands; try again in a minute",
    busy: "too many commands wait; try again later",
    retained: "it was retained on the broker",
    expired: "it came too late",
    issued_in_future: "this machine's clock is ahead of the vehicle's",
    lifetime_too_long: "it would be valid for too long",
    clock_unknown: "the agent's clock is not set or was set back, so it only reads",
    before_journal: "it is older than the agent's journal; send it again",
    wrong_vehicle: "another vehicle is connected",
    vehicle_unknown: "the vehicle did not say which one it is; nothing was written",
    not_allowed: "the agent's configuration does not allow this command",
    not_connected: "the vehicle does not answer",
    not_supported: "this vehicle can't do that",
    engine_running: "the engine runs: switch it off, and leave the ignition on",
    vehicle_moving: "the vehicle moves",
    engine_speed_unknown: "nobody knows whether the engine runs",
    vehicle_speed_unknown: "nobody knows whether the vehicle moves",
    codes_unknown: "the codes could not be read",
    codes_differ: "the vehicle has other codes than those that you confirmed",
    codes_changed: "the codes changed meanwhile",
    snapshot_incomplete: "not all that a clear erases could be read",
    snapshot_not_kept: "what a clear erases could not be kept",
    not_kept: "it could not be written to the disk",
    service_forbidden: "nobody may ask the vehicle for this",
    version_conflict: "somebody else has changed the selection meanwhile; look at it again",
    negative_response: "the vehicle refused",
    no_answer: "the vehicle did not answer",
    codes_remain: "codes are still there",
    link_lost: "the vehicle was lost in the middle",
    interrupted: "the agent ended in the middle; nobody knows how far it came",
    parked: "the vehicle is parked: wake it first",
    low_voltage: "the vehicle's battery is too low",
    no_probe_left: "the vehicle has been woken often enough for now",
};

export const when = {
    never: "never",
    now: "just now",
    seconds: (count) => `${count} s ago`,
    minutes: (count) => `${count} min ago`,
    hours: (count) => `${count} h ago`,
    date: (date) => date.toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }),
    time: (date) => date.toLocaleTimeString(language),
};
