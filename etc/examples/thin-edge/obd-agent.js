// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0
//
// A vehicle is a child device by its topic level, which is the VIN unless the configuration names it otherwise; its
// telemetry becomes measurements, and its trouble codes become alarms.

const SEVERITIES = { check_immediately: "critical", check_at_next_halt: "major", maintenance_only: "warning" };
const KEPT = { retain: true, qos: 1 };
const CODE = /^([PCBU][0-9A-F]{4}|SPN[0-9])/;

export function onMessage(message, context) {
    const [prefix, vehicle, kind] = message.topic.split("/");
    const text = typeof message.payload === "string" ? message.payload : new TextDecoder().decode(message.payload);
    if (prefix === "te") return echo(message.topic, text, context);
    const device = `te/device/${vehicle}//`;
    // An empty payload: the vehicle is forgotten.
    if (text === "") return kind === "codes" ? alarms(device, { known: true, codes: [] }, context) : [];
    const content = JSON.parse(text);
    switch (kind) {
        case "vehicle": return [register(device, vehicle, content)];
        case "telemetry": return measurements(device, content);
        case "codes": return alarms(device, content, context);
        default: throw new Error(`There is no rule for ${message.topic}.`);
    }
}

function register(device, vehicle, { vin }) {
    const entity = { "@type": "child-device", name: vin ?? vehicle, type: "vehicle" };
    return { topic: device, payload: JSON.stringify(entity), mqtt: KEPT };
}

// One measurement for each moment at which something was read.
function measurements(device, { t0, series }) {
    const moments = new Map();
    for (const [name, { scale, dt, dv }] of Object.entries(series)) {
        let time = Date.parse(t0);
        let steps = 0;
        dt.forEach((milliseconds, index) => {
            time += milliseconds;
            steps += dv[index];
            if (!moments.has(time)) moments.set(time, {});
            // The slash of another ECU's values has a meaning of its own in some clouds.
            moments.get(time)[name.replace("/", "_")] = Number((steps * scale).toPrecision(12));
        });
    }
    return [...moments].sort(([a], [b]) => a - b).map(([time, values]) => ({
        topic: `${device}/m/obd`,
        payload: JSON.stringify({ time: new Date(time).toISOString(), ...values }),
        mqtt: { qos: 1 },
    }));
}

// Raises an alarm for each code; clears one only if all lists of codes could be read.
function alarms(device, { known, codes }, context) {
    const present = codes.map(({ code }) => code);
    context.script.set(`${device} codes`, known ? present : null);
    const gone = known ? (context.script.get(`${device} raised`) ?? []).filter((code) => !present.includes(code)) : [];
    const raised = codes.map(({ code, ecu, severity, description, first_seen }) => ({
        topic: `${device}/a/${code}`,
        payload: JSON.stringify({ severity: SEVERITIES[severity] ?? "minor", text: `${code} ${description ?? ""} (${ecu})`, time: first_seen }),
        mqtt: KEPT,
    }));
    return [...raised, ...gone.map((code) => cleared(device, code))];
}

// An alarm as the broker has it: so those of before a restart are known too, and cleared if their code has gone since.
function echo(topic, text, context) {
    const [, , vehicle, , , , code] = topic.split("/");
    const device = `te/device/${vehicle}//`;
    if (!CODE.test(code)) return [];
    const raised = (context.script.get(`${device} raised`) ?? []).filter((other) => other !== code);
    context.script.set(`${device} raised`, text === "" ? raised : [...raised, code]);
    const present = context.script.get(`${device} codes`);
    return text !== "" && present && !present.includes(code) ? [cleared(device, code)] : [];
}

function cleared(device, code) {
    return { topic: `${device}/a/${code}`, payload: "", mqtt: KEPT };
}
