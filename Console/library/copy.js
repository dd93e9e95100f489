// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Replaces the package that copies packets of the library in depth: it changes only their topic and their properties.

module.exports = (packet) => ({ ...packet, properties: packet.properties && { ...packet.properties } });
