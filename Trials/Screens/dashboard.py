# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The dashboard of "watch", as it is on a terminal."""

import re

from look import Look, age, is_aged

# The gauges that are made of the parameters of the trial; the other values have their own names.
GAUGES = ("Speed", "Engine", "Coolant", "Fuel", "Battery")
LAMP = re.compile(r"([●○]) (broker|agent|adapter|vehicle)\b")
# Bars and sparklines.
DRAWN = re.compile(r"[▁▂▃▄▅▆▇█░]")
DIM, GREY, ATTENTION = 2, 90, 33


def read(rows):
    """What the rows of the screen tell."""
    look = Look()
    # The last row has the keys.
    for row in rows[:-1]:
        text = "".join(character for character, _ in row).rstrip()
        for light, name in LAMP.findall(text):
            if light == "●":
                look.lamps.add("link" if name == "adapter" else name)
        name = name_of(text, row)
        if name:
            judge(look, name, row[len(name) : len(text)])
    return look


def name_of(text, row):
    """The name of the value in the row; nothing where it has none."""
    match = re.match(r"(\S(?:.*?\S)?) {2,}\S", text)
    if not match or not re.search(r"\d", text[match.end(1) :]):
        return None
    name = match.group(1)
    is_other = all(DIM in style for character, style in row[: len(name)] if character != " ")
    return name if name in GAUGES or is_other and "●" not in text and "○" not in text else None


def judge(look, name, cells):
    text = "".join(character for character, _ in cells)
    # The number comes first.
    begin = len(text) - len(text.lstrip())
    end = begin + len(text[begin:].split("  ")[0])
    is_grey = all(GREY in style for character, style in cells[begin:end] if character != " ")
    words = text[end:]
    if not is_grey:
        look.live.add(name)
        if is_aged(words):
            look.wrong.append(f"{name} has an age, and is not grey")
        return
    look.old[name] = age(words)
    if not is_aged(words):
        look.wrong.append(f"{name} is grey without its age")
    if DRAWN.search(words):
        look.wrong.append(f"{name} is grey with a bar or a course")
