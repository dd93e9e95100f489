// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The bus for a while to oneself.
///
/// No poll comes between two requests, but where ``letPollPass()`` says so, and in what reads many things: those let
/// one pass after each request.
package struct BusLease: Sendable {
    let session: Session
    let number: Int
    /// The vehicle as it is known when the lease begins.
    package let identity: VehicleIdentity

    /// Asks the vehicle.
    ///
    /// - Throws: `.leaseEnded` after the lease; `.link`, `.adapterSilent`, `.adapterRestarted` when it ends by itself.
    package func ask(_ request: Request) async throws(SessionError) -> BusOutcome {
        try await self.session.ask(request, lease: self.number)
    }

    /// Asks the ECUs again which vehicle they belong to; another vehicle ends the session.
    ///
    /// - Throws: as ``ask(_:)``.
    package func proveVehicle() async throws(SessionError) -> VehicleProof {
        try await self.session.proveVehicle(lease: self.number)
    }

    /// Asks bytes, of one ECU or of all; what writes is sent once, whatever comes back.
    ///
    /// - Throws: as ``ask(_:)``.
    package func send(_ request: RawRequest, to destination: Destination?) async throws(SessionError) -> BusOutcome {
        try await self.session.send(request, to: destination, lease: self.number)
    }

    /// Asks what is due to be polled, once; nothing where nothing is.
    ///
    /// - Throws: as ``ask(_:)``.
    package func letPollPass() async throws(SessionError) { try await self.session.letPollPass(lease: self.number) }

    /// Nothing is polled for so long, once this lease has ended; zero lets polling go on.
    package func hold(_ duration: Duration) async { await self.session.hold(duration, lease: self.number) }

    /// Reads a custom parameter, or on J1939 any, by ECU; nothing where it can't be asked, or is not answered.
    ///
    /// - Throws: as ``ask(_:)``.
    package func read(_ key: ParameterKey) async throws(SessionError) -> [ECUAddress: FieldValue] {
        try await self.session.read(key, lease: self.number)
    }

    /// Reads readiness and what the tests came to, and tells the rest of the agent.
    package func readMonitors() async throws(SessionError) -> MonitorReading {
        try await self.session.readMonitors(lease: self.number)
    }

    /// Reads what the ECUs tell of themselves, and tells the rest of the agent.
    package func readVehicle() async throws(SessionError) -> VehicleIdentity {
        try await self.session.readVehicle(lease: self.number)
    }

    /// Reads MIL, codes and freeze frames anew, and tells the rest of the agent.
    package func readCodes() async throws(SessionError) -> CodeReading {
        try await self.session.readCodes(lease: self.number)
    }
}
