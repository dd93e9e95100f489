# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Looks at one program again and again, from before a break until all is well again."""

import asyncio
import re
import time

# Seconds between two looks, and until a return has failed, once the agent itself is back.
PACE, BACK = 0.3, 15
# After this the trial does not wait for a return any more.
GIVEN_UP = 60
# Seconds by which the newest value may come behind the lamps.
AHEAD = 1.5
# Seconds by which a screen may lag behind.
LAG = 2


class Judge:
    def __init__(self, viewer, one):
        self.viewer, self.one = viewer, one
        self.is_spared = viewer.is_at_socket and one.spares_socket
        self.limit = (one.socket_limit if viewer.is_at_socket else None) or one.limit
        # The values before the break.
        self.wanted = set()
        # Monotonic times of break and return; the time of day of the return.
        self.began = self.returned = self.returned_at = None
        # When the agent published a value again, and when the screen was the one of before again.
        self.published = self.whole = None
        # Seconds until nothing looked live any more, and until all did again.
        self.dark = self.back = None
        self.faults, self.kinds = [], set()

    def fault(self, words):
        """Notes what is wrong, once: it would come again at the next look, with other numbers."""
        kind = re.sub(r"\d+", "", words)
        if kind not in self.kinds:
            self.kinds.add(kind)
            self.faults.append(words)

    @property
    def tells(self):
        """Whether the program can know of the break: what writes a file knows of the broker only."""
        return self.viewer.is_screen or self.viewer.name == "remote collect" and self.one.lamp == "broker"

    @property
    def is_dark(self):
        return not self.tells or self.dark is not None

    async def before(self):
        """Until all values are live."""
        deadline = time.monotonic() + GIVEN_UP
        while time.monotonic() < deadline and self.viewer.status() is None:
            seen = await asyncio.to_thread(self.viewer.look)
            if self.viewer.is_screen and len(seen.lamps) == 4 and seen.live and not left(seen.old):
                # Lines are printed for changes only: some value comes soon, but not each.
                self.wanted = set() if self.viewer.has_lines else kept(seen.live)
                return
            if not self.viewer.is_screen and time.time() - seen < 5:
                # A state that is told comes later than the rows.
                if not self.tells or (await asyncio.to_thread(self.viewer.told)).live:
                    return
            await asyncio.sleep(PACE)
        self.fault(f"it did not show live values before the break: {self.viewer.status()}, {seen}")

    async def watch(self):
        """While something is broken, and until it is whole again."""
        while self.back is None:
            if (status := self.viewer.status()) is not None:
                return self.fault(f"it ended with {status}")
            source = self.viewer.look if self.viewer.is_screen else self.viewer.told
            seen = await asyncio.to_thread(source) if self.tells else None
            now = time.monotonic()
            if self.returned is None:
                if self.tells:
                    self.broken(seen, now - self.began)
            elif await self.is_whole(seen):
                self.whole = self.whole or now
                if self.published:
                    self.back = now - self.returned
            elif now - (self.published or now) > GIVEN_UP:
                return self.fault(f"it is not back after {GIVEN_UP} s: {seen or 'no new rows'}")
            await asyncio.sleep(PACE)
        late, early = self.returned + self.back - self.published, self.published - self.whole
        if late > BACK + self.viewer.slower:
            self.fault(f"it is back only {late:.0f} s after the agent")
        if early > AHEAD and self.viewer.is_screen and not self.is_spared and self.one.lamp in ("broker", "agent"):
            self.fault(f"all looked live {early:.1f} s before the agent published a value again")

    def broken(self, seen, seconds):
        """Judges a screen while something is broken."""
        for words in seen.wrong + seen.stray:
            self.fault(f"{words}, after {seconds:.0f} s")
        if self.is_spared:
            return self.spared(seen, seconds)
        if not seen.live:
            if self.dark is None:
                self.dark = seconds
        elif self.dark is not None:
            self.fault(f"{names(seen.live)} looked live again after {seconds:.0f} s, although nothing was back")
        elif seconds > self.limit + self.viewer.slower + LAG:
            self.fault(f"{names(seen.live)} still looked live after {seconds:.0f} s")
        for name, span in seen.old.items():
            if span and span[1] < seconds - LAG and self.dark is not None:
                self.fault(f"{name} tells an age of at most {span[1]} s, {seconds:.0f} s after the break")
        # Lines are for changes: no line about the agent comes where the broker knows none any more.
        if self.dark is not None and seconds - self.dark > LAG and self.one.lamp in seen.lamps and not self.viewer.has_lines:
            self.fault(f"the lamp of the {self.one.lamp} is lit, {seconds:.0f} s after the break")

    def spared(self, seen, seconds):
        """Judges a screen whose values come past what is broken."""
        if missing := self.wanted - seen.live:
            self.fault(f"{names(missing)} did not look live after {seconds:.0f} s, although they are measured and told")
        if "broker" not in seen.lamps:
            if self.dark is None:
                self.dark = seconds
        elif self.dark is not None:
            self.fault(f"the lamp of the broker is lit again after {seconds:.0f} s, although nothing was back")
        elif seconds > self.limit + LAG:
            self.fault(f"the lamp of the broker is still lit after {seconds:.0f} s")

    async def is_whole(self, seen):
        """Whether the program is as it was before the break."""
        if not self.viewer.is_screen:
            newest = await asyncio.to_thread(self.viewer.look)
            return newest >= self.returned_at and (seen is None or bool(seen.live))
        for words in seen.wrong:
            self.fault(f"{words}, after the return")
        return len(seen.lamps) == 4 and bool(seen.live) and self.wanted <= seen.live

    @property
    def words(self):
        """A cell of the table."""
        parts = []
        if self.tells:
            dark = "never" if self.dark is None else f"{self.dark:.1f}"
            parts.append(f"stays live, lamp {dark}" if self.is_spared else dark)
        else:
            parts.append("–")
        parts.append("never" if self.back is None else f"{self.back:.1f}")
        return " / ".join(parts) + (" **FAILED**" if self.faults else "")


def kept(live):
    """Without the voltage at the adapter, which is measured each half minute only."""
    return {name for name in live if "upply" not in name}


def left(old):
    return {name for name in old if "upply" not in name and not name.startswith("plot")}


def names(live):
    return ", ".join(sorted(live)[:3]) + (f" and {len(live) - 3} more" if len(live) > 3 else "")
