// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The rows of a long list that are in sight: only these are drawn.

/** The rows beyond the edges that are drawn too, so that fast scrolling and the keyboard find them. */
export const margin = 6;

/**
 * The first row to draw, and the one after the last.
 *
 * @param top the distance from the list's beginning to the first pixel in sight; negative if the list begins below it
 */
export function inSight({ count, rowHeight, top, height }) {
    if (count === 0 || rowHeight <= 0 || top + height <= 0) return { first: 0, end: Math.min(count, margin) };
    const first = Math.max(0, Math.floor(top / rowHeight) - margin);
    return { first: Math.min(first, count), end: Math.min(count, Math.ceil((top + height) / rowHeight) + margin) };
}
