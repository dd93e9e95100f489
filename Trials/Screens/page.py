# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The console in Chromium."""

from browser import Browser
from look import Look, age, is_aged
from scene import NAME
from stage import until

# Tiles with the color of the gauge's needle, lamps, and the plots with the part of their width at which the line ends.
SCRIPT = """
const text = (place, selector) => place.querySelector(selector)?.textContent.trim() ?? "";
const tiles = [...document.querySelectorAll(".tile")].map((tile) => ({
    name: text(tile, "h4"), age: tile.dataset.age, words: text(tile, ".age"),
    needle: tile.querySelector(".gauge")?.checkVisibility() ? getComputedStyle(tile.querySelector(".needle")).stroke : "",
    color: getComputedStyle(tile.querySelector(".reading")).color,
}));
const lamps = [...document.querySelectorAll(".lights [data-lamp]")].filter((item) =>
    item.dataset.present === "true" && item.querySelector(".dot").dataset.tone === "good").map((item) => item.dataset.lamp);
const plots = [...document.querySelectorAll(".history figure")].map((figure) => ({
    name: text(figure, "h4"), age: figure.querySelector(".reading").dataset.age,
    end: Math.max(0, ...[...(figure.querySelector("path.trace")?.getAttribute("d") ?? "").matchAll(/H([\\d.]+)/g)].map((match) => Number(match[1])))
        / Math.max(80, figure.querySelector("svg.plot").clientWidth - 62),
}));
return { tiles, lamps, plots };
"""
# The time in seconds that a plot shows.
WINDOW = 120


class Page:
    def __init__(self, port):
        self.browser = Browser(f"http://127.0.0.1:{port}/")
        self.live_colors = {}
        self.plots = []

    def open(self):
        until(lambda: self.browser.find("form button.primary"), "the form")[0].click()
        choose = "if (location.hash !== arguments[0]) location.hash = arguments[0]"

        def is_chosen():
            self.browser.driver.execute_script(choose, f"#/{NAME}")
            return NAME in self.browser.text(".who h2")

        until(is_chosen, "the vehicle in the console")

    def look(self):
        found = self.browser.driver.execute_script(SCRIPT)
        look = Look(lamps=set(found["lamps"]))
        for tile in found["tiles"]:
            name, colors = tile["name"], (tile["needle"], tile["color"])
            if tile["age"] == "live":
                look.live.add(name)
                self.live_colors[name] = colors
                if is_aged(tile["words"]):
                    look.wrong.append(f"{name} is live with an age")
                continue
            look.old[name] = age(tile["words"])
            if not is_aged(tile["words"]):
                look.wrong.append(f"{name} is {tile['age']} without its age")
            for part, color, live in zip(("gauge", "number"), colors, self.live_colors.get(name, ("", ""))):
                # What is late has its age in another color, and its gauge.
                if color and color == live and (part == "gauge" or tile["age"] == "last"):
                    look.wrong.append(f"the {part} of {name} has the color of a live one")
        for plot in found["plots"]:
            if plot["age"] == "live":
                look.live.add(f"plot of {plot['name']}")
            elif plot["age"]:
                look.old[f"plot of {plot['name']}"] = None
        self.plots = found["plots"]
        return look

    def ends(self, seconds):
        """Complains where a line goes on to less than so many seconds before now."""
        ends = {plot["name"]: (1 - plot["end"]) * WINDOW for plot in self.plots}
        return [f"the line of {name} ends {end:.0f} s ago, not {seconds:.0f}" for name, end in ends.items() if end < seconds]

    def spoken(self):
        """The words that assistive technology reads out."""
        self.browser.devtools("Accessibility.enable")
        nodes = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        names = [node.get("name", {}).get("value", "") for node in nodes if not node.get("ignored")]
        return [name for name in names if name]

    def close(self):
        self.browser.driver.quit()
