// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Places labels beside each other's way.

/**
 * Places labels as near as possible to where they are wanted, so that none covers another, and in their order.
 *
 * @param gap the least distance of two labels
 * @param bounds the first and the last place; too many labels go beyond the first one
 */
export function apart(wanted, gap, [first, last]) {
    const order = wanted.map((_, index) => index).sort((one, other) => wanted[one] - wanted[other]);
    const places = [];
    let next = first;
    for (const index of order) {
        places[index] = Math.max(next, wanted[index]);
        next = places[index] + gap;
    }
    let limit = last;
    for (const index of order.reverse()) {
        places[index] = Math.min(places[index], limit);
        limit = places[index] - gap;
    }
    return places;
}
