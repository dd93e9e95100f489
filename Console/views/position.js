// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The position of the vehicle, as text. The page itself asks no map: the links are followed only by the user.

import { position } from "../model/position.js";
import { text, word } from "../texts.js";
import { html, write } from "./elements.js";
import { age, isOld } from "./when.js";

/** What keeps a position from being the present one; a word of a later version is shown as it is. */
export const doubted = (quality) => word.term(`position.${quality}`) ?? quality;

export function positionView() {
    const tag = html("span", { class: "tag", "data-severity": "attention" });
    const place = html("strong");
    const facts = html("small");
    const links = html("p", { class: "line", hidden: true });
    const node = html("section", { class: "card position", "aria-labelledby": "position-heading" },
        html("h3", { id: "position-heading", tabindex: "-1" }, text("position.heading")), html("p", { class: "line" }, place, tag), html("p", {}, facts), links);
    let shownLinks;

    function update(picture, now) {
        const found = position(picture.position);
        node.hidden = found === undefined;
        if (found === undefined) return link(undefined);
        const present = picture.end(now);
        write(place, found.zone === undefined ? found.coordinates : text("position.zone", { name: found.zone }));
        const isPresent = picture.isKnown("availability") && picture.availability === "online" && found.isCertain && !isOld(found.time, present);
        const isTrusted = found.quality === "good" || found.zone !== undefined;
        const doubt = !isTrusted ? doubted(found.quality) : isPresent ? "" : text("position.old");
        write(tag, doubt);
        tag.hidden = doubt === "";
        const error = found.accuracy === undefined ? undefined : text("position.accuracy", { meters: found.accuracy });
        write(facts, [error, age(found.time, found.isCertain, present)].filter(Boolean).join(" · "));
        link(found.links);
    }

    /** Makes the links anew only if they changed, so that they keep the focus. */
    function link(addresses) {
        if (addresses?.map === shownLinks?.map && addresses?.geo === shownLinks?.geo) return;
        shownLinks = addresses;
        links.hidden = addresses === undefined;
        links.replaceChildren(...(addresses === undefined ? [] : [
            html("a", { href: addresses.geo }, text("position.app")),
            html("a", { href: addresses.map, target: "_blank", rel: "noopener noreferrer" }, text("position.map")),
        ]));
    }
    return { node, update };
}
