// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Replaces the package that turns streams of bytes into streams of texts: the library's are of bytes. A folder, because
// the library names it with a slash at the end.

module.exports = {};
