// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Makes elements. Text becomes text nodes, never markup, because any client may have sent it.

const space = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) continue;
        if (typeof value === "function") node.addEventListener(name, value);
        else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false && child !== ""));
    return node;
}

/** An HTML element; a function among the attributes is a listener. */
export const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/** An SVG element. */
export const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(space, name), attributes, children);

/** Writes a text only if it changed, so that a screen reader does not read it again. */
export function write(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute only if it changed: a browser lays out and paints a drawing anew also for the value that it has. */
export function set(node, name, value) {
    if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

let isAfresh = false;

/** Calls a function in which everything counts as changed, such as after a view has failed to draw. */
export function afresh(work) {
    isAfresh = true;
    try {
        work();
    } finally {
        isAfresh = false;
    }
}

/** A function that tells whether one of its arguments is another than at the last call. */
export function watcher() {
    let last;
    return (...values) => {
        const isNew = isAfresh || last === undefined || values.some((value, index) => value !== last[index]);
        last = values;
        return isNew;
    };
}

let fields = 0;

/** A field with its label and its hint. */
export function field(label, input, hint) {
    fields += 1;
    input.id ||= `field-${fields}`;
    const words = hint && html("small", { id: `hint-${fields}` }, hint);
    if (words) input.setAttribute("aria-describedby", words.id);
    return html("div", { class: "field" }, html("label", { for: input.id }, label), input, words);
}

/** Offers a text to the user as a file. */
export function save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = html("a", { href: url, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A safe file name from text of messages. */
export const fileName = (...parts) => parts.join("-").replace(/[^A-Za-z0-9.-]+/g, "_").slice(0, 120);
