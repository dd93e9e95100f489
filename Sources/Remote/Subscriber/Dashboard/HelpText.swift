// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The keys of the dashboard and the meaning of its marks.
enum HelpText {
    /// The number of columns of a key and the blanks behind it.
    static let width = 12

    static let rows = [
        ("q, Ctrl-C", "quit"),
        ("1 … 6", "gauges, values, codes, readiness, trip, events: one of them on the whole screen"),
        ("0, Esc", "all of them"),
        ("Tab, ← →", "the next one, the one before"),
        ("↑ ↓", "scroll by a line"),
        ("Page, space", "scroll by a page; Home and End to the ends"),
        ("u", "metric or imperial units"),
        ("p", "parameters: show and hide them with the space bar, a shows all"),
        ("l", "draw anew"),
        ("?", "these keys, and back"),
        ("", ""),
        ("broker", "the connection to the broker: this program's own, or the agent's if it reads from the agent"),
        ("agent", "whether the agent is there"),
        ("adapter", "the agent's link to the vehicle's adapter"),
        ("vehicle", "whether it is on, driven or parked"),
        ("grey", "last known: not measured now, with the time since it is known to have held"),
        ("late", "should be measured now, and is older than usual"),
        ("│", "a limit of a gauge: yellow needs attention, red is dangerous"),
        ("Battery", "12 V at the ECU or, as \"12 V supply\" always is, at the adapter"),
        ("▁▂▅█  2–9", "the course of a value in the time span of the heading, and its extremes"),
    ]
}
