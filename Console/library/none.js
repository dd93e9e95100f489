// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// In place of what only Node.js has, and the library does not use in a browser.

module.exports = {};
