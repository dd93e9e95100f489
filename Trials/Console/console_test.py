#!/usr/bin/python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Uses the console as people do, in a real browser, with a real broker, real agents and simulated vehicles.

Usage: console_test.py PROGRAM PAGE [TEST ...]; pictures go to PAGE-pictures, and with OBD_AGENT_PICTURE to that file too.
A TEST is ConsoleTests.test_values, or a file: list_tests.
"""

import sys
import unittest

import list_tests
import looks_tests
import losses_tests
import orders_tests
import safety_tests
import values_tests


class ConsoleTests(
    list_tests.ListTests, looks_tests.LooksTests, losses_tests.LossesTests, orders_tests.OrdersTests, safety_tests.SafetyTests,
    values_tests.ValuesTests,
):
    """All of them with the same broker and the same two vehicles."""


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
