# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Holds what the vehicle was told against what it should have been told."""

import collections
import re

import orders
from judge import Judge
from part import AT_A_KILL

# The longest time without a poll in seconds: a clear of the codes, which reads everything before and after it, takes
# the bus for some; a killed agent has to start, and to look at the vehicle.
LONGEST_GAP, LONGEST_RETURN = 15, 30
# The KiB that may be written: at a start of the agent, for each word about a command that was judged, which must be on
# the disk before it is said, and in a second, whatever else comes; MiB in memory.
AT_START, FOR_A_WORD, IN_A_SECOND, MOST_MEMORY = 4096, 64, 32, 60
# The answers to what was no command; the agent gives one in a second after the first few.
COMPLAINTS = {"malformed", "bad_signature", "bad_arguments", "unsigned", "unknown_command", "service_forbidden"}
# The share of the hostile messages that the agent must have looked at, so that a run says something.
LEAST_JUDGED = 0.4


def outcome(part, status):
    """Prints the counts of a part; whether all is well."""
    honest, forger, judge = part.honest, part.forger, Judge(part.served)
    seconds = (part.end - part.begin) / 1000
    problems = list(honest.problems)
    states, executed, in_doubt = collections.Counter(), 0, 0
    last = {order.number: order for order in honest.orders.values()}
    for number, order in last.items():
        count = judge.clears if number == 0 else judge.tests.pop((orders.HONEST, number), 0)
        states[order.reason if order.reason == "interrupted" else order.state] += 1
        # Nobody knows how far a command came in which the agent was killed.
        least = 0 if order.reason == "interrupted" else 1
        in_doubt += order.reason == "interrupted" and count
        executed += order.reason != "interrupted" and count == 1
        if not order.is_final:
            problems.append(f"{order.identifier} has no last answer")
        if not least <= count <= 1:
            problems.append(f"{order.identifier} ({order.state}, {order.reason}) was executed {count} times")
    forged = sum(judge.tests.values()) + max(0, judge.clears - 1) + part.findings
    for (kind, number), count in judge.tests.items():
        problems.append(f"test {kind:02X}{number:08X} was executed {count} times, and nobody honest has asked for it")
    if part.findings:
        problems.append(f"{part.findings} findings were recorded, and nobody honest has recorded any")
    if states["interrupted"] > part.kills * AT_A_KILL:
        problems.append(f"{states['interrupted']} were interrupted by {part.kills} kills")
    hostile = sum(forger.sent.values())
    judged, dropped = looked_at(part.agent.log)
    usual, after_kill = judge.longest_gap(part.begin, part.end, part.breaks)
    total = part.written / 1024
    words = binding_words(honest)
    limit = AT_START * (part.kills + 1) + FOR_A_WORD * words + IN_A_SECOND * seconds
    if usual > LONGEST_GAP or after_kill > LONGEST_RETURN or len(judge.polls) < seconds / 4:
        problems.append("it has not polled throughout")
    if judged < hostile * LEAST_JUDGED:
        problems.append("too few were looked at for the run to say anything")
    if not 0 < total <= limit or part.memory > MOST_MEMORY:
        problems.append("it writes, or keeps in memory, too much, or nobody knows how much")
    if status != 0:
        problems.append(f"the agent ended with {status}")
    answers = collections.Counter()
    for (state, reason, repeat), count in honest.answers.items():
        answers[f"{reason or state}{' (repeat)' if repeat else ''}"] += count
    print(f"{part.name}: {seconds:.0f} s, {part.kills} kills, {part.floods} floods,", end=" ")
    print(f"{part.broker.connections} connections")
    print(f"  hostile   {hostile}: {listed(forger.sent)}")
    print(f"  looked at {judged} that were no commands; {dropped} messages dropped, as the agent has it")
    print(f"  honest    {len(last)}: {listed(states)}; sent {deliveries(honest)} times,", end=" ")
    print(f"{honest.asked_anew} under a new id")
    print(f"  executed  {executed} of {len(last) - states['interrupted']} honest ones once,", end=" ")
    print(f"and {in_doubt} of the {states['interrupted']} interrupted; {forged} hostile ones;", end=" ")
    print(f"codes cleared {judge.clears} times")
    print(f"  answers   {listed(answers)}")
    print(f"  polls     {len(judge.polls)}, at most {usual:.1f} s between two, {after_kill:.1f} s after a kill")
    print(f"  disk      {total:.0f} KiB written, at most {limit:.0f} for {words} words about commands;", end=" ")
    print(f"{total / (hostile + len(last)) * 1000:.0f} for 1000 messages")
    print(f"  agent     {part.memory:.1f} MiB in memory; exit status {status}", flush=True)
    for problem in problems[:20]:
        print(f"  WRONG: {problem[:400]}")
    if problems[20:]:
        print(f"  WRONG: and {len(problems) - 20} more")
    return not problems


def looked_at(log):
    """How many messages the agent took for no commands, and how many it has dropped, by its log."""
    counts = {"Message on the command topic refused": 0, "More commands than can be read": 0}
    with open(log, errors="replace") as file:
        for line in file:
            for words in counts:
                if words in line:
                    told = re.search(r'unreported="(\d+)"', line)
                    counts[words] += 1 + (int(told[1]) if told else 0)
    return tuple(counts.values())


def binding_words(honest):
    """How often a command was accepted, refused or ended."""
    return sum(
        count for (state, reason, repeat), count in honest.answers.items()
        if state != "running" and not repeat and reason not in COMPLAINTS
    )


def deliveries(honest):
    return sum(order.deliveries for order in honest.orders.values())


def listed(counter):
    return ", ".join(f"{count} {name}" for name, count in counter.most_common())
