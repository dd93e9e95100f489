# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The table of a run."""

import textwrap

WIDTHS = 8, 46, 42, 44
TITLES = "row", "attack", "must", "seen", ""


class Table:
    def __init__(self):
        self.rows = []
        self.figures = {}

    def row(self, family, identifier, attack, must, seen, is_fine):
        """Adds a row of a family. `is_fine` is None for an attack that can't be played here, and `seen` says why."""
        # Output of an attacked program may contain anything.
        seen = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(seen))
        self.rows.append((family, identifier, attack, must, seen, None if is_fine is None else bool(is_fine)))

    def figure(self, name, number, limit, unit):
        """Keeps the greatest number of a name, which must be below the limit."""
        self.figures[name] = max(number, self.figures.get(name, (0,))[0]), limit, unit

    def show(self, order):
        """Prints all rows, in the order of their families; whether all are well."""
        print(line(TITLES))
        print("  ".join("-" * width for width in WIDTHS))
        for _, identifier, attack, must, seen, is_fine in sorted(self.rows, key=lambda row: order.index(row[0])):
            verdict = {True: "ok", False: "FAILED", None: "left out"}[is_fine]
            print(line((identifier, attack, must, seen, verdict)))
        for name, (number, limit, unit) in self.figures.items():
            print(f"{name}: at most {number:.2f} {unit}, must be below {limit}")
        counts = [[row[-1] for row in self.rows].count(state) for state in (True, False, None)]
        print(f"{len(self.rows)} attacks: {counts[0]} held, {counts[1]} FAILED, {counts[2]} left out", flush=True)
        return bool(self.rows) and not counts[1]


def line(cells):
    """A line of the table, or several."""
    columns = [textwrap.wrap(str(cell), width) or [""] for cell, width in zip(cells, WIDTHS, strict=False)]
    height = max(map(len, columns))
    lines = []
    for index in range(height):
        parts = [
            (column[index : index + 1] or [""])[0].ljust(width) for column, width in zip(columns, WIDTHS, strict=True)
        ]
        lines.append("  ".join([*parts, cells[-1] if index == 0 else ""]).rstrip())
    return "\n".join(lines)
