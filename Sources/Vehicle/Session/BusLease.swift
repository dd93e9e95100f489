// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The exclusive use of the bus for a while.
///
/// No poll comes between two requests, except in ``letPollPass()``. The functions that read many values let one poll
/// pass after each request. Each function throws `.leaseEnded` after the end of the lease, and `.link`,
/// `.adapterSilent`, or `.adapterRestarted` if the session ends.
package struct BusLease: Sendable {
    let session: Session
    let number: Int
    /// The identity of the vehicle at the begin of the lease.
    package let identity: VehicleIdentity
    /// The custom parameters that have the speed of the vehicle, and those that show whether its drive is enabled.
    package let speeds: [ParameterKey]
    package let ready: [ParameterKey]

    /// Sends a request to the vehicle.
    package func ask(_ request: Request) async throws(SessionError) -> BusOutcome {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.ask(request)
        }
    }

    /// Requests the vehicle's identity again.
    ///
    /// Another vehicle ends the session.
    package func proveVehicle() async throws(SessionError) -> VehicleProof {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.proveVehicle()
        }
    }

    /// Sends bytes to one ECU or to all.
    ///
    /// A request that writes is sent once, whatever the answer.
    package func send(_ request: RawRequest, to destination: Destination?) async throws(SessionError) -> BusOutcome {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.send(request, to: destination)
        }
    }

    /// Waits, and sends nothing meanwhile.
    package func pause(for duration: Duration) async throws(SessionError) {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.pause(for: duration)
        }
    }

    /// Sends the most overdue poll, if one is due.
    package func letPollPass() async throws(SessionError) {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.letPollPass()
        }
    }

    /// Suspends polling for the duration after the end of this lease; zero resumes it.
    package func hold(_ duration: Duration) async {
        try? await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            vehicle.pausePolling(for: duration)
        }
    }

    /// Returns the values of a custom parameter, or on J1939 of any parameter, by ECU.
    ///
    /// The result is empty without an answer or a frame, and if the vehicle does not support the parameter.
    package func read(_ key: ParameterKey) async throws(SessionError) -> ParameterAnswer {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.read(key)
        }
    }

    /// Reads readiness and test results, and reports them to the rest of the agent.
    package func readMonitors() async throws(SessionError) -> MonitorReading {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.read({ $0.readMonitors() }, until: \.lastTests)
        }
    }

    /// Reads the vehicle information of the ECUs, and reports it to the rest of the agent.
    package func readVehicle() async throws(SessionError) -> VehicleIdentity {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.read(
                { $0.readInformation() },
                until: { $0.isReadingInformation ? nil : $0.identity }
            )
        }
    }

    /// Reads MIL, codes and freeze frames, and reports them to the rest of the agent.
    package func readCodes() async throws(SessionError) -> CodeReading {
        try await self.session.withVehicle(of: self.number) { vehicle throws(SessionError) in
            try await vehicle.read({ $0.readCodes() }, until: \.lastReading)
        }
    }
}
