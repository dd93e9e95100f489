// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// A way to the ECUs of a vehicle: an ELM327 adapter behind a link, or a CAN interface of this machine.
///
/// A `VehicleBus` outlives its connections. ``Session``, or a command that reads once, opens it, starts it up, asks, and
/// closes it; a single task at a time uses it. The functions that only an adapter needs do nothing elsewhere.
package protocol VehicleBus: AnyObject {
    // MARK: The connection

    var isOpen: Bool { get }
    /// The findings of the last start-up over this connection, also of a failed one; nil before it.
    var report: AdapterReport? { get }
    /// The number of requests on the bus over this connection.
    var requestCount: Int { get }
    /// The number of times that an adapter was set to another addressing since the start.
    var headerChanges: Int { get }

    /// Opens a connection.
    ///
    /// - Returns: a function that ends a wait of this connection, for any task.
    func open() async throws(SessionError) -> @Sendable () -> Void
    /// Closes the connection.
    ///
    /// - Parameter keepsSettings: whether an adapter is expected to have the settings of start-up still when it is back.
    func close(keepsSettings: Bool)
    /// Ends a wait in ``idle(until:)``, so that a new job starts at once.
    func interruptRead()
    /// Returns the strength of the radio signal in dBm; nil without a radio.
    func signalStrength() async -> Int?
    /// Returns the state of the CAN controller; nil for an adapter, which has its own.
    func controllerReport() -> ControllerReport?

    // MARK: Requests

    /// Whether a request to one ECU changes settings that must be proved to be restored.
    var hasSettings: Bool { get }

    /// Finds a vehicle on the bus.
    ///
    /// - Parameters:
    ///   - bus: the protocol to use; nil to search.
    ///   - requests: the requests to single ECUs that are tried if no ECU answers a standard request.
    ///   - wakes: whether a bus without traffic may be used. An adapter cannot tell.
    ///   - progress: receives each new phase before it begins, and the report so far. If it throws, the phase does not
    ///     begin.
    func startUp(
        bus: BusProtocol?,
        requests: [BusRequest],
        wakes: Bool,
        progress: (StartUp.Phase, AdapterReport) throws(SessionError) -> Void
    ) async throws(SessionError) -> AdapterReport

    /// Performs what start-up has left for later, once.
    func finishStartUp() async throws(SessionError)

    /// Sends a request to the vehicle.
    ///
    /// - Parameter deadline: the latest time at which the request is sent; nil: no limit.
    func ask(
        _ request: BusRequest,
        on bus: BusProtocol,
        before deadline: MonotonicTime?
    ) async throws(SessionError) -> BusResult

    /// Waits until `deadline`, or until ``interruptRead()``, while no request is due.
    func idle(until deadline: MonotonicTime) async throws(SessionError)

    // MARK: Frames that nodes send by themselves

    /// Whether such frames can be received. An adapter that asks does not listen.
    var hearsFrames: Bool { get }
    /// Receives the values of these parameters from now on, in place of others.
    func hear(_ parameters: [HeardParameter]) throws(SessionError)
    /// Returns what was heard since the last call.
    func takeHeard() -> HeardValues.Batch

    // MARK: A parked vehicle

    /// Whether the supply voltage can be read.
    var hasVoltage: Bool { get }
    /// Proves that the adapter answers, without a request to the vehicle.
    func reach() async throws(SessionError)
    /// Reads the supply voltage, which does not touch the bus.
    func supplyVoltage() async throws(SessionError) -> SupplyReading
    /// Listens to the bus, and sends nothing.
    ///
    /// - Returns: whether a node of the vehicle sends; nil if that cannot be told.
    func observeTraffic() async throws(SessionError) -> Bool?
    /// Sends an adapter to sleep, if the policy allows it.
    func sleep(isAllowed: Bool) async

    // MARK: Trials

    /// Returns the adapter's reply to a command that changes nothing; empty without one.
    func reply(to command: AdapterCommand) async throws(SessionError) -> [String]
    /// Whether trials of capabilities may be made.
    var mayBeTried: Bool { get }
    /// Returns the findings about the same adapter over earlier connections.
    func assessments(of report: AdapterReport) -> AdapterReport?
    /// Performs one trial of capabilities.
    func perform(_ probe: inout CapabilityProbe) async throws(SessionError)
    /// Keeps the facts of a report that are needed without a connection.
    func remember(_ report: AdapterReport)

    // MARK: The vehicle

    /// The bitmaps of the last vehicle, of this process or an earlier one; nil if they are not known.
    var knownVehicle: KnownVehicle? { get }
    /// Keeps the bitmaps of the vehicle for the next connection.
    func remember(_ vehicle: KnownVehicle)
}

/// The result of reading the supply voltage.
package enum SupplyReading: Hashable, Sendable {
    case volts(Double)
    /// The reply has no plausible voltage.
    case unreadable
    case unanswered
}

extension VehicleBus {
    package func ask(_ request: BusRequest, on bus: BusProtocol) async throws(SessionError) -> BusResult {
        try await self.ask(request, on: bus, before: nil)
    }

    /// Sends the request for a question to the vehicle.
    ///
    /// If the dialect of the vehicle has no such request, the result is `.noData`.
    package func ask(
        _ question: SessionAgenda.Question,
        of machine: SessionAgenda
    ) async throws(SessionError) -> BusResult {
        guard let request = machine.busRequest(question) else { return BusResult(outcome: .noData, dropped: 0) }
        return try await self.ask(request, on: machine.identity.bus)
    }

    /// Listens to the frames of these parameters until each has a value, or until the deadline.
    ///
    /// Replaces the selection of ``hear(_:)``.
    ///
    /// - Returns: the last value of each parameter.
    package func listen(
        for parameters: [CustomParameter],
        until deadline: MonotonicTime,
        clock: any MonotonicClock
    ) async throws(SessionError) -> HeardValues.Batch {
        let start = clock.now
        try self.hear(parameters.map { HeardParameter($0, .zero) })
        var (values, result): ([String: Sample], HeardValues.Batch) = ([:], HeardValues.Batch())
        while values.count < parameters.count, clock.now < deadline {
            try await self.idle(until: deadline)
            let batch = self.takeHeard()
            // A frame may have waited in the kernel since before the call.
            for sample in batch.samples where sample.time >= start { values[sample.value.field.name] = sample }
            result.dropped += batch.dropped
            result.followsSilence = result.followsSilence || batch.followsSilence
        }
        result.samples = Array(values.values)
        return result
    }
}
