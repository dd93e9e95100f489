// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// A document for tests of views: elements with texts, attributes and listeners, and no layout. Tests that import this can make views.

class Element {
    constructor(name) {
        Object.assign(this, { name, parent: undefined, children: [], attributes: {}, dataset: {}, listeners: {}, own: "", value: "", hidden: false, disabled: false, open: false });
    }
    set textContent(text) { [this.children, this.own] = [[], text]; }
    get textContent() { return this.own + this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join(""); }
    get id() { return this.attributes.id ?? ""; }
    set id(id) { this.attributes.id = id; }
    getAttribute(name) { return this.attributes[name] ?? null; }
    setAttribute(name, value) {
        this.attributes[name] = value;
        if (["value", "open", "hidden"].includes(name)) this[name] = name === "value" ? value : true;
    }
    addEventListener(name, listener) { this.listeners[name] = listener; }
    append(...children) {
        for (const child of children) if (child instanceof Element) child.parent = this;
        this.children.push(...children);
    }
    prepend(child) {
        child.parent = this;
        this.children.unshift(child);
    }
    remove() { if (this.parent) this.parent.children.splice(this.parent.children.indexOf(this), 1); }
    get lastElementChild() { return this.children.at(-1); }
    replaceChildren(...children) {
        [this.children, this.own] = [[], ""];
        this.append(...children);
    }
    replaceWith(other) {
        const { parent } = this;
        if (!parent) return;
        parent.children[parent.children.indexOf(this)] = other;
        [other.parent, this.parent] = [parent, undefined];
    }
    contains() { return false; }
    querySelectorAll() { return []; }
    focus() {}
    /** All elements of a name in this one. */
    all(name) { return this.children.filter((child) => child instanceof Element).flatMap((child) => [...(child.name === name ? [child] : []), ...child.all(name)]); }
}

globalThis.document = { createElement: (name) => new Element(name), createElementNS: (_, name) => new Element(name), activeElement: undefined };
