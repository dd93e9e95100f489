// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

// What only an adapter has.
extension CANConnection {
    var hasVoltage: Bool { false }
    func reach() async throws(SessionError) {}
    func supplyVoltage() async throws(SessionError) -> SupplyReading { .unanswered }
    func sleep(isAllowed: Bool) async {}
    func reply(to command: AdapterCommand) async throws(SessionError) -> [String] { [] }
    var mayBeTried: Bool { false }
    func assessments(of report: AdapterReport) -> AdapterReport? { report }
    func perform(_ probe: inout CapabilityProbe) async throws(SessionError) {}
    func remember(_ report: AdapterReport) {}
}
