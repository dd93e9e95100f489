# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A terminal's screen, with the control sequences that the dashboard uses, and no others."""
import codecs
import re

SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


class Screen:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.pending = ""
        self.modes = {"?1049": "l", "?25": "h", "?7": "h"}
        self.row = self.column = 0
        self.style = ""
        self.clear()

    def clear(self):
        # A cell is its character and the parameters of its style.
        self.cells = [[(" ", "")] * self.columns for _ in range(self.rows)]

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [(line + [(" ", "")] * columns)[:columns] for line in self.cells]
        self.cells = (self.cells + [[(" ", "")] * columns for _ in range(rows)])[:rows]

    @property
    def is_usual(self):
        """Whether the cursor, the usual screen and the wrapping of lines are there."""
        return self.modes == {"?1049": "l", "?25": "h", "?7": "h"}

    def lines(self):
        return ["".join(character for character, _ in line).rstrip() for line in self.cells]

    def feed(self, data):
        text = self.pending + self.decoder.decode(data)
        self.pending = ""
        position = 0
        while position < len(text):
            if text[position] != "\x1b":
                self.put(text[position])
                position += 1
                continue
            match = SEQUENCE.match(text, position)
            if match is None:
                if len(text) - position < 32:
                    self.pending = text[position:]
                    return
                raise AssertionError(f"no sequence of the dashboard: {text[position:position + 32]!r}")
            self.control(*match.groups())
            position = match.end()

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.rows - 1, self.row + 1)
        elif self.row < self.rows:
            self.cells[self.row][min(self.column, self.columns - 1)] = (character, self.style)
            # Without wrapping the cursor stays on the last cell.
            self.column = min(self.columns - 1, self.column + 1)

    def control(self, parameters, final):
        if final == "H":
            row, column = parameters.split(";")
            self.row, self.column = int(row) - 1, int(column) - 1
        elif final == "K":
            if self.row < self.rows:
                # The cell under the cursor is erased, too.
                self.cells[self.row][self.column:] = [(" ", "")] * (self.columns - self.column)
        elif final == "J":
            self.clear()
        elif final == "m":
            self.style = "" if parameters == "0" else parameters
        else:
            assert parameters in self.modes and final in "hl", (parameters, final)
            self.modes[parameters] = final
            if parameters == "?1049":
                self.clear()
