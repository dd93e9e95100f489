// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Replaces modules that only Node.js has, and that the library does not use in a browser.

module.exports = {};
