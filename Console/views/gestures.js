// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Moves and zooms plots: by dragging, by two fingers, by the wheel with Ctrl or Shift, and by a double click.

/** The distance in pixels from which a press moves the plots. */
const slop = 5;

/**
 * Listens to the pointers above plots.
 *
 * @param plots the element around the plots
 * @param part gives the part of the axis below a pointer, `width` the width of the plots in pixels
 * @param pin keeps the crosshair where it is, or no longer; `hover` tells where the mouse is, or that it has left
 */
export function gestures(plots, { axis, bounds, part, width, moved, isPinned, pin, hover }) {
    const pointers = new Map();
    let hasMoved = false;
    const isPlot = (event) => Boolean(event.target.closest?.("svg.plot"));
    const time = (x) => {
        const { from, to } = axis.range(bounds());
        return from + part(x) * (to - from);
    };
    const listen = (name, act) => plots.addEventListener(name, act);

    listen("pointerdown", (event) => {
        if (!isPlot(event) || event.button > 0) return;
        pointers.set(event.pointerId, { x: event.clientX, start: event.clientX });
        hasMoved = pointers.size > 1;
        event.target.closest("svg.plot").setPointerCapture?.(event.pointerId);
    });

    listen("pointermove", (event) => {
        const pointer = pointers.get(event.pointerId);
        if (!pointer) {
            if (event.pointerType !== "mouse" || isPinned() || !isPlot(event)) return;
            hover(event.clientX);
            axis.cross = time(event.clientX);
            return moved();
        }
        if (pointers.size === 1) {
            if (!hasMoved && Math.abs(event.clientX - pointer.start) < slop) return;
            hasMoved = true;
            axis.pan((pointer.x - event.clientX) / width(), bounds());
        } else pinch(pointer, event.clientX);
        pointer.x = event.clientX;
        moved();
    });

    function pinch(pointer, x) {
        const other = [...pointers.values()].find((one) => one !== pointer);
        const [before, after] = [Math.abs(pointer.x - other.x), Math.abs(x - other.x)];
        if (before > 10 && after > 10) axis.zoom(before / after, part((x + other.x) / 2), bounds());
        axis.pan((pointer.x - x) / 2 / width(), bounds());
    }

    listen("pointerup", (event) => {
        const pointer = pointers.get(event.pointerId);
        pointers.delete(event.pointerId);
        if (!pointer || hasMoved) return;
        const at = time(event.clientX);
        const { from, to } = axis.range(bounds());
        // A second press at the crosshair takes it away.
        const isSame = isPinned() && Math.abs(at - axis.cross) < ((to - from) / width()) * slop;
        pin(!isSame);
        axis.cross = isSame ? undefined : at;
        moved();
    });
    listen("pointercancel", (event) => pointers.delete(event.pointerId));

    listen("pointerleave", () => {
        hover(undefined);
        if (isPinned() || axis.cross === undefined || pointers.size > 0) return;
        axis.cross = undefined;
        moved();
    });

    listen("dblclick", (event) => {
        if (!isPlot(event)) return;
        axis.zoom(event.shiftKey ? 2 : 0.5, part(event.clientX), bounds());
        moved();
    });

    listen("wheel", (event) => {
        if (!isPlot(event)) return;
        const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
        if (event.ctrlKey || event.metaKey) axis.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))), part(event.clientX), bounds());
        else if (event.shiftKey || Math.abs(sideways) > Math.abs(event.deltaY)) axis.pan(sideways / width(), bounds());
        else return;
        event.preventDefault();
        moved();
    });
}
