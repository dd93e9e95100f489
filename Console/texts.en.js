// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Every text of the page, in English. For another language, translate this file.

/** A parameter's name as people write it, such as "Engine speed", unless `parameters` has a better one. */
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
    intro: "Watch your vehicles live. This page connects only to the broker that served it.",
    broker: "Broker",
    name: "Name",
    password: "Password",
    optional: "leave empty if your broker needs none",
    more: "More",
    prefix: "Topic prefix",
    path: "WebSocket path of the broker",
    button: "Connect",
    connecting: "Connecting …",
    disconnect: "Disconnect",
    connected: (host) => `Connected to ${host}`,
    lost: (time) => `The connection is lost since ${time}. Reconnecting …`,
    closed: "Not connected",
    insecure: "Without https, others in this network can read all data and the password.",
    notPermitted: "The broker refused the connection. Try: check name and password.",
    unreachable: (url) => `The broker does not answer at ${url}.`,
    wrongPrefix: "The topic prefix must not contain + or #, nor begin or end with /.",
    framed: "This page is disabled inside another page. Try: open it in a tab of its own.",
    fromFile: "This page must come from the broker. Try: open it at an address with http:// or https://.",
};

export const key = {
    label: "Signing key",
    hint: "A JWK file that obd-remote key has made. It stays in this page, and is gone when you close the page.",
    none: "Commands are unsigned.",
    use: (issuer, kid) => (issuer === kid ? `Commands are signed by ${issuer}.` : `Commands are signed by ${issuer}, key ${kid}.`),
    forget: "Forget the key",
    problems: {
        unavailable: "Commands are unsigned: browsers sign only on pages from https:// or localhost.",
        malformed: "The file has no private key of obd-remote key (EC, P-256, with a kid).",
        public: "The file has only the public part of the key. The private key has a member d.",
    },
};

export const fleet = {
    heading: "Vehicles",
    count: (count) => `Vehicles (${count})`,
    loading: (count) => `Reading the state of ${count === 1 ? "1 more vehicle" : `${count} more vehicles`} …`,
    cut: (count) => `The broker passes on only ${count} messages at once, so vehicles may be missing here until they send something. Try: a larger max_queued_messages in the broker's configuration.`,
    leftOut: (limit, count, isMore) => `This page lists ${limit} vehicles. ${isMore ? "At least " : ""}${count} more ${count === 1 ? "is" : "are"} not listed.`,
    lastKnown: (word) => `last known: ${word.charAt(0).toLowerCase()}${word.slice(1)}`,
    none: "No vehicle has published anything yet.",
    noneHint: (prefix) => `Waiting for messages below ${prefix}/. Try: check that an agent uses this broker, and that your user may read its topics.`,
    online: "online",
    offline: "offline",
    parked: "parked",
    unknown: "unknown",
    awaited: "reading the codes …",
    codes: (count) => (count === undefined ? "codes unknown" : count === 0 ? "no codes" : count === 1 ? "1 code" : `${count} codes`),
    lastSeen: (when) => `last seen ${when}`,
    simulated: "simulated",
};

export const vehicle = {
    lamps: "State",
    lampNames: { broker: "Broker", agent: "Agent", link: "Adapter", vehicle: "Vehicle" },
    lampStates: {
        broker: { connected: "connected", lost: "connection lost" },
        agent: { online: "online", offline: "offline", unknown: "unknown" },
        link: { connected: "connected", connecting: "connecting", searching: "searching for the vehicle", waiting: "waiting to retry", unknown: "unknown" },
        vehicle: { running: "in use", on: "ignition on", charging: "charging", off: "ignition off", parked: "parked", unconfirmed: "not confirmed", unknown: "unknown" },
    },
    about: "About this vehicle",
    back: (count) => (count === 1 ? "‹ List of vehicles" : `‹ All ${count} vehicles`),
    volts: (volts) => `${volts.toFixed(1)} V`,
    disconnected: "The connection to the broker is lost. These are the last known values.",
    unconfirmed: "The agent does not know yet whether this is the vehicle at the adapter.",
    offline: "The agent is offline. These are the last known values.",
    parked: "The vehicle is parked, so the agent leaves it alone. These values are from before.",
    facts: { vin: "VIN", protocol: "Bus", adapter: "Adapter", voltage: "Battery", version: "Agent", lastSeen: "Last seen" },
    wake: "Wake the vehicle", detect_parameters: "Detect the model",
    places: "On this page",
};

export const files = { button: "CSV" };

export const lamp = { on: "Warning lamp on", off: "Warning lamp off", unknown: "Warning lamp unknown" };

export const values = {
    heading: "Values",
    battery: "Traction battery",
    states: { charging: ["charging", "not charging"], plugged_in: ["plugged in", "not plugged in"], ready: ["ready", "not ready"] },
    none: "No parameter is polled yet. Select some below.",
    plot: (name) => `Plot ${name}`,
    csv: "Save values as CSV",
    ages: { late: (age) => age, last: (age) => `last known, ${age}` },
    parameter: (name) => parameters[name] ?? words(name),
    series: (series) => {
        const [name, ecu] = series.split("/");
        return (parameters[name] ?? words(name)) + (ecu ? ` (${ecu})` : "");
    },
};

export const history = {
    heading: "History",
    none: "Choose Plot at a value to see its history.",
    window: "Time shown",
    windows: [[2, "2 minutes"], [10, "10 minutes"], [60, "1 hour"]],
    remove: (name) => `Remove the plot of ${name}`,
    removeShort: "Remove",
    describe: (name, unit, low, high, last, old) => `${name}: between ${low} and ${high} ${unit}, ${old ? "newest" : "now"} ${last} ${unit}${old ? `, ${old}` : ""}`,
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
    unknown: "The codes could not be read. The vehicle may have some.",
    partial: "The codes of some ECU could not be read. The vehicle may have more.",
    neverRead: "The codes have not been read yet.",
    unread: (states) => `Could not be read: the ${states} codes.`,
    states: { stored: "stored", pending: "pending", permanent: "permanent" },
    severities: {
        maintenance_only: "maintenance only", check_at_next_halt: "check at next halt", check_immediately: "check immediately",
    },
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
    none: "Readiness has not been read yet.",
    complete: "complete",
    incomplete: "incomplete",
    all: "All monitors are complete.",
    some: (count) => (count === 1 ? "1 monitor is incomplete." : `${count} monitors are incomplete.`),
    read: "Read readiness",
    name: (name) => ({ gpf_or_ac: "Particulate filter or air conditioning", nox_scr: "NOx catalyst (SCR)", egr_vvt: "EGR or variable valves", egr: "EGR", vvt: "Variable valves", o2_heater: "O2 sensor heater" })[name] ?? words(name),
};

export const captures = {
    heading: "Captures",
    none: "No capture has arrived since the page was opened. The agent captures when a code appears, also one that was cleared.",
    choose: "Capture shown",
    ask: "Capture now",
    csv: "Save the capture as CSV",
    option: (one, moment) => `${moment}, ${one.code ?? words(one.trigger)}`,
    happened: (one, moment) => {
        const what = { code_appeared: `${one.code} appeared in ${one.ecu}`, mil_on: "the warning lamp came on", condition: one.condition, harsh_braking: "harsh braking", engine_stall: "the engine stalled", command: "a command asked for it" };
        const why = { link_lost: "the link was lost", parked: "the vehicle was parked", vehicle_changed: "another vehicle came", stopped: "the agent stopped", interrupted: "the agent was interrupted" };
        const end = Object.hasOwn(why, one.ended) ? `; it ended early: ${why[one.ended]}` : "";
        const clock = one.isCertain ? "" : ", by a clock that is not synchronized";
        return `${moment}${clock}: ${Object.hasOwn(what, one.trigger) ? what[one.trigger] : words(one.trigger)}${end}. The line is that moment.`;
    },
    describe: (name, low, high) => `${name}: between ${low} and ${high}; the middle is the moment of the capture`,
    seconds: (seconds) => (seconds === 0 ? "0" : `${seconds > 0 ? "+" : ""}${Math.round(seconds)} s`),
    more: (count) => `${count} more are in the CSV file.`,
};

export const trip = {
    heading: "Trip",
    from: (start, isOngoing, isCertain, asOf) =>
        `${isOngoing ? "Since" : "From"} ${start}${isCertain ? "" : ", by a clock that is not synchronized"}${asOf ? `; last news: ${asOf}` : ""}`,
    name: (name) => ({ duration: "Duration", unobserved: "Not observed", mean_speed: "Mean speed" })[name] ?? words(name),
    total: (name) => ({ distance: "All trips: distance", fuel: "All trips: fuel", energy: "All trips: energy" })[name] ?? words(name),
};

export const limits = {
    heading: "Exceeded limits",
    exceeded: (age) => `exceeded ${age}`,
};

export const position = {
    heading: "Position",
    zone: (name) => `In the zone ${name}`,
    accuracy: (meters) => `± ${meters} m`,
    old: "last known",
    quality: (quality) => {
        const qualities = { stale: "last known: no fix now", jumping: "last known: the fixes are impossible" };
        return Object.hasOwn(qualities, quality) ? qualities[quality] : quality;
    },
    app: "Open in an app",
    map: "Show on openstreetmap.org",
};

export const clear = {
    heading: (name) => `Clear the codes of ${name}?`,
    erases: "This erases for ever:",
    nothing: "no codes, only the data below",
    unreadList: (state) => `the ${state} codes, which could not be read, so the loss is unknown`,
    frame: (ecu, code) => `the freeze frame of ${ecu}, stored with ${code ?? "a code"}`,
    framePart: (names) => `, without values that could not be read: ${names}`,
    frameUnread: (ecu) => `the freeze frame of ${ecu}, if there is one: it could not be read`,
    readiness: "readiness for an inspection, and the results of the on-board tests",
    permanent: "These codes stay: they are permanent until their ECU itself has seen that the fault is gone. A clear erases only what is stored beside them.",
    refused: (reason) => `The agent would refuse this now: ${reason}.`,
    guard: "The agent keeps a copy first. It clears only while the vehicle stands with its engine off, and only if there are no other codes.",
    incomplete: "Clear although some data could not be read, and lose them",
    confirm: (codes) => (codes.length === 0 ? "Clear" : codes.length > 3 ? `Clear ${codes.length} codes` : `Clear ${codes.join(", ")}`),
    cancel: "Cancel",
    gone: "Gone",
    stayed: "Stayed",
    unknown: "Unknown",
    reading: "Reading the codes first, to show what a clear erases …",
};

export const selection = {
    heading: "Selection",
    open: "Select parameters and poll intervals",
    none: "The vehicle has not reported its parameters yet.",
    find: "Find",
    read: (name) => `Poll ${name}`,
    seconds: (name) => `Poll interval of ${name} in seconds`,
    columns: ["Parameter", "Every … seconds"],
    duration: "For",
    durations: [["", "from now on"], ["600", "10 minutes"], ["3600", "1 hour"]],
    apply: "Select",
    unchanged: "The selection is unchanged.",
    wrong: (name) => `${name}: the poll interval must be 0.05 to 86400 seconds.`,
    empty: "Select at least one parameter.",
};

export const finding = {
    heading: "Finding",
    none: "There is no finding about this vehicle.",
    by: (issuer) => (issuer ? `by ${issuer}` : "unsigned"),
    about: (codes) => `about ${codes}`,
    write: "Write a finding",
    text: "Your finding",
    textHint: "The driver and the owner see the finding. It stays with the vehicle.",
    codes: "Codes of the finding",
    severity: "Urgency",
    severities: { info: "For information", attention: "Needs attention", urgent: "Urgent" },
    record: "Record the finding",
    empty: "Write your finding first.",
    wrongCodes: (words) => `These are not trouble codes: ${words}`,
};

export const commands = {
    heading: "Commands",
    none: "No command has been sent yet.",
    names: {
        describe: "List allowed commands", read_codes: "Read codes", clear_codes: "Clear codes", select_parameters: "Select parameters",
        read_monitors: "Read readiness", record_finding: "Record a finding", wake: "Wake the vehicle",
        capture: "Capture",
    },
    sending: "being sent",
    sent: (isOnline, until) => (isOnline ? "sent, no answer yet" : `sent; the vehicle is offline, and runs it if it is back by ${until}`),
    doubtful: "the connection was lost while it was being sent, so the vehicle may have it or not",
    states: { accepted: "accepted", running: "running", succeeded: "done", failed: "failed", refused: "refused" },
    progress: (step, steps, doing) => `running, ${step} of ${steps}: ${doing}`,
    doubted: "refused by a response that does not name your key; waiting for another. The agent may not trust your key.",
    unanswered: "no response came in time",
    notPermitted: "not sent: the broker does not permit you to send commands",
    notSent: "not sent: there is no connection to the broker",
    dismiss: "Dismiss",
    unsignedHint: "The agent does not permit this command unsigned. Try: choose your signing key under Commands, or set unsigned_role on the agent.",
    ask: "List allowed commands",
    allowed: (names, role) => `The agent allows: ${names}. Role of unsigned commands: ${role}.`,
    selected: (missing) => (missing === "" ? "" : `The vehicle does not have: ${missing}.`),
};

/** The reasons of docs/contract as text. */
export const reasons = {
    malformed: "the command was malformed",
    unknown_command: "the agent does not know this command",
    bad_arguments: "an argument of the command is wrong",
    bad_signature: "the agent does not trust this key",
    unsigned: "the command must be signed",
    role_insufficient: "your role does not permit the command",
    rate_limited: "too many commands; try again in a minute",
    busy: "too many commands are waiting; try again later",
    no_room: "another capture runs, or a limit is reached; try again later",
    retained: "the command was retained on the broker",
    expired: "the command expired before it arrived",
    issued_in_future: "this machine's clock is ahead of the vehicle's",
    lifetime_too_long: "the command would be valid for too long",
    clock_unknown: "the agent's clock is not set or was set back, so it only reads",
    before_journal: "the command is older than the agent's journal; send it again",
    wrong_vehicle: "another vehicle is connected",
    vehicle_unknown: "the vehicle could not be identified; nothing was written",
    not_allowed: "the agent's configuration does not allow this command",
    not_connected: "the vehicle does not answer",
    not_supported: "this vehicle does not support the command",
    engine_running: "the engine runs: switch it off, and leave the ignition on",
    vehicle_moving: "the vehicle moves",
    engine_speed_unknown: "it is unknown whether the engine runs",
    drive_enabled: "the drive is enabled: switch the vehicle off, and the ignition on",
    drive_unknown: "it is unknown whether the drive is enabled",
    vehicle_speed_unknown: "it is unknown whether the vehicle moves",
    codes_unknown: "the codes could not be read",
    codes_differ: "the vehicle has other codes than you confirmed",
    codes_changed: "the codes have changed meanwhile",
    snapshot_incomplete: "some of the data that a clear erases could not be read",
    snapshot_not_kept: "the data that a clear erases could not be written to the disk",
    not_kept: "the command or its result could not be written to the disk",
    records_unreadable: "the records could not be read from the disk",
    service_forbidden: "the agent never sends this service",
    version_conflict: "another user has changed the selection; check it and try again",
    negative_response: "the vehicle refused the request",
    no_answer: "the vehicle did not answer",
    codes_remain: "some codes are still there",
    link_lost: "the link to the vehicle was lost in the middle",
    interrupted: "the agent ended in the middle, so the result is unknown",
    result_left_out: "the result was too long to send now",
    parked: "the vehicle is parked: wake it first",
    low_voltage: "the vehicle's battery is too low",
    no_probe_left: "no probe of the parked vehicle is left for now",
};

export const when = {
    never: "never",
    now: "just now",
    seconds: (count) => `${count} s ago`,
    minutes: (count) => `${count} min ago`,
    hours: (count) => `${count} h ago`,
    unknown: "at an unknown time",
    date: (date) => date.toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }),
    time: (date) => date.toLocaleTimeString(language),
};
