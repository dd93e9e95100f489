// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Replaces the package that prints what the library does, for those who look for a fault in it.

module.exports = () => () => {};
