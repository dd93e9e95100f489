// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

/// Runs commands on the vehicle.
struct CommandRunner: Sendable {
    let access: any VehicleAccess
    let clock: any CalendarClock
    let rules: CommandRules
    /// The members of the result of `describe` beside the vehicle.
    let description: [String: JSON]

    /// Publishes that a command runs, with its progress if it has several steps.
    typealias Running = @Sendable (CommandResponse.Progress?) async -> Void
    /// Judges the command by the vehicle on the bus and by the present time.
    ///
    /// The closure returns the reason why the command is refused; nil if the command is allowed.
    typealias Judge = @Sendable (CommandExecutor.Vehicle) async -> Refusal?

    /// Runs a command and returns its result.
    ///
    /// The command was judged before it waited for the bus. It is judged again for the vehicle of the lease, and once
    /// more right before each request that writes.
    ///
    /// - Parameters:
    ///   - vehicle: the topic level of the vehicle that the command was sent to.
    ///   - judge: judges the command again.
    ///   - running: publishes that the command has the bus, and each further step.
    func outcome(
        of command: Command,
        for vehicle: String,
        judge: @escaping Judge,
        running: @escaping Running
    ) async -> CommandResult {
        do throws(VehicleError) {
            switch command.action {
            case .describe:
                return CommandResult(state: .succeeded, result: await self.describe(to: command.signer))
            case .readCodes:
                let codes = try await self.withStandardBus(judge, running) { bus throws(VehicleError) in
                    try await bus.readCodes()
                }
                return codes.known
                    ? CommandResult(state: .succeeded, result: JSON(report: codes))
                    : CommandResult(
                        state: .failed,
                        reason: .codesUnknown,
                        message: "The stored codes could not be read. Try: again, with the ignition on.",
                        result: JSON(report: codes)
                    )
            case .readMonitors:
                let report = try await self.withStandardBus(judge, running) { bus throws(VehicleError) in
                    try await bus.readMonitors()
                }
                return report.map { CommandResult(state: .succeeded, result: JSON(report: $0)) }
                    ?? CommandResult(
                        state: .failed,
                        reason: .noAnswer,
                        message: "The readiness of every ECU could not be read; electric vehicles have none. "
                            + "Try: again, with the ignition on."
                    )
            case .readVehicle:
                let report = try await self.withBus(judge, running) { bus throws(VehicleError) in
                    try await bus.readVehicle()
                }
                return CommandResult(state: .succeeded, result: JSON(report: report))
            case .runTest(let control):
                return try await self.withStandardBus(judge, running) { bus throws(VehicleError) in
                    try await Self.run(control, bus) { bus throws(VehicleError) in
                        try await Self.authorize(command, bus, judge)
                    }
                }
            case .clearCodes(let confirmation, let overridesEngine, let acceptsIncomplete, let wakes):
                // The time is long enough to read every list twice.
                let wake = wakes ? Duration.seconds(300) : nil
                return try await self.clear(
                    confirmation,
                    overridesEngine,
                    acceptsIncomplete,
                    waking: wake,
                    command,
                    judge,
                    running
                )
            case .readParameters(let keys):
                let reading = ParameterReading(keys, clock: self.clock)
                return try await self.withBus(judge, running) { bus throws(VehicleError) in try await reading.run(bus) }
            case .selectParameters(let request):
                return await self.select(request, of: vehicle)
            case .boost(let keys, let duration):
                return await self.boost(keys, for: duration)
            case .recordFinding(let text, let severity, let codes):
                let finding = Finding(
                    id: command.id,
                    time: self.clock.timestamp,
                    issuer: command.signer?.issuer,
                    severity: severity,
                    text: text,
                    codes: codes.map(\.description)
                )
                return try await self.record(finding, of: vehicle)
            case .rawRequest(let order):
                return try await self.run(order, command, judge, running)
            case .detectParameters(let make, let year):
                return try await self.detect(make, year, judge, running)
            case .capture(let order):
                return try await self.capture(order, command, of: vehicle)
            case .resend(let request):
                return await self.resend(request)
            case .wake(let duration):
                await running(nil)
                try await self.access.wake(for: duration)
                return CommandResult(state: .succeeded, result: ["duration": .number(duration.seconds)])
            }
        } catch {
            switch error {
            case .notConnected(let reason):
                return CommandResult(state: .refused, reason: .notConnected, message: reason)
            case .parked(let reason):
                return CommandResult(state: .refused, reason: .parked, message: reason)
            case .refused(let refusal):
                return CommandResult(refusal)
            case .unproven(let reason):
                return CommandResult(state: .refused, reason: .vehicleUnknown, message: reason)
            case .unexpected(let reason):
                return CommandResult(state: .refused, reason: .wrongVehicle, message: reason)
            case .lowVoltage(let reason):
                return CommandResult(state: .refused, reason: .lowVoltage, message: reason)
            case .noProbeLeft(let reason):
                return CommandResult(state: .refused, reason: .noProbeLeft, message: reason)
            case .busy:
                return CommandResult(
                    state: .refused,
                    reason: .noRoom,
                    message: "Too many requests wait for the vehicle. Try: a new command later."
                )
            case .lost(let reason):
                return CommandResult(state: .failed, reason: .linkLost, message: reason)
            }
        }
    }

    /// Leases the bus of the command's vehicle to `body`.
    ///
    /// - Throws: `.refused` if the bus is that of another vehicle, or if the command has expired meanwhile.
    func withBus<Success: Sendable>(
        _ judge: @escaping Judge,
        _ running: @escaping Running,
        _ body: @escaping @Sendable (any Bus) async throws(VehicleError) -> Success
    ) async throws(VehicleError) -> Success {
        try await self.access.withBus { bus throws(VehicleError) in
            if let refusal = await judge(bus.vehicle) { throw .refused(refusal) }
            await running(nil)
            return try await body(bus)
        }
    }

    /// Leases the bus of the command's vehicle to `body`, if its ECUs answer standard services.
    private func withStandardBus<Success: Sendable>(
        _ judge: @escaping Judge,
        _ running: @escaping Running,
        _ body: @escaping @Sendable (any Bus) async throws(VehicleError) -> Success
    ) async throws(VehicleError) -> Success {
        try await self.withBus(judge, running) { bus throws(VehicleError) in
            guard bus.dialect.hasStandardServices else {
                throw .refused(
                    Refusal(
                        reason: .notSupported,
                        message: "The ECUs of this vehicle answer only requests of its manufacturer. "
                            + "Try: a raw request, or a custom parameter."
                    )
                )
            }
            return try await body(bus)
        }
    }

    /// Returns the reason why the command may not write to the vehicle on the bus now; nil if it may.
    static func authorize(
        _ command: Command,
        _ bus: any Bus,
        _ judge: Judge
    ) async throws(VehicleError) -> Refusal? {
        guard bus.vehicle.silent.isEmpty else {
            // Another vehicle may have the ECUs that answer, with the same calibrations.
            return command.refused(
                .vehicleUnknown,
                "\(bus.vehicle.name) has no VIN, and of its ECUs \(bus.vehicle.silent.joined(separator: ", ")) "
                    + "did not answer, so it may be another vehicle. "
                    + "Try: switch the ignition on, read_vehicle, then a new command."
            )
        }
        switch try await bus.proveVehicle() {
        case .same: return await judge(bus.vehicle)
        case .other:
            return command.refused(
                .wrongVehicle,
                "The vehicle on the bus is not \(bus.vehicle.name) any more: its ECUs report another identity. "
                    + "Try: send the command to the vehicle that is connected now."
            )
        case .unreadable:
            return command.refused(
                .vehicleUnknown,
                "The vehicle did not identify itself again, so it may be another one. Try: send the command again."
            )
        }
    }

    private func clear(
        _ confirmation: Command.Confirmation,
        _ overridesEngine: Bool,
        _ acceptsIncomplete: Bool,
        waking duration: Duration?,
        _ command: Command,
        _ judge: @escaping Judge,
        _ running: @escaping Running
    ) async throws(VehicleError) -> CommandResult {
        guard !overridesEngine || self.rules.allowsEngineOverride else {
            return CommandResult(
                state: .refused,
                reason: .notAllowed,
                message: "[commands] engine_override does not allow a clear while the engine runs."
            )
        }
        if let duration { try await self.access.wake(for: duration) }
        let access = self.access
        let keep = { @Sendable (codes: CodesReport, monitors: MonitorsReport?, engineSpeed: Double?) in
            var event = AgentEvent(beforeClearBy: command, codes, monitors)
            if overridesEngine {
                (event.engineOverride, event.engineSpeed) = (true, engineSpeed.map { .number($0) } ?? .null)
            }
            return await access.keep(event)
        }
        return try await self.withStandardBus(judge, { _ in }) { bus throws(VehicleError) in
            let machine = ClearCodes(
                confirmation,
                ecus: bus.ecus,
                facts: bus.driveFacts,
                overridesEngine: overridesEngine,
                acceptsIncomplete: acceptsIncomplete
            )
            return try await Self.run(machine, bus, running: running, keep: keep) { bus throws(VehicleError) in
                try await Self.authorize(command, bus, judge)
            }
        }
    }

    /// Judges a command right before its request that writes.
    private typealias Authorize = @Sendable (any Bus) async throws(VehicleError) -> Refusal?

    private static func run(
        _ clear: ClearCodes,
        _ bus: any Bus,
        running: Running,
        keep: @Sendable (CodesReport, MonitorsReport?, Double?) async -> String?,
        authorize: Authorize
    ) async throws(VehicleError) -> CommandResult {
        guard bus.dialect != .j1939 else {
            return CommandResult(
                state: .refused,
                reason: .notSupported,
                message: "The agent does not clear the codes of a vehicle on J1939."
            )
        }
        var machine = clear
        var step = machine.begin()
        var published: CommandResponse.Progress?
        while true {
            if case .finished = step {
            } else if machine.progress != published {
                published = machine.progress
                await running(published)
            }
            do throws(VehicleError) {
                switch step {
                case .readCodes: step = machine.read(try await bus.readCodes())
                case .readMonitors: step = machine.read(try await bus.readMonitors())
                case .keep(let codes, let monitors):
                    step = machine.kept(await keep(codes, monitors, machine.engineSpeed))
                case .ask(let request): step = machine.answered(try await bus.ask(request))
                case .read(let key): step = machine.read(try await bus.read(key))
                case .pause(let duration):
                    try await bus.pause(for: duration)
                    step = machine.paused()
                case .authorize: step = machine.authorized(try await authorize(bus))
                case .finished(let outcome): return outcome
                }
            } catch {
                guard case .unproven(let reason) = error else { return machine.interrupted(error.reason) }
                // The request that writes was not sent.
                step = machine.authorized(Refusal(reason: .vehicleUnknown, message: reason))
            }
        }
    }

    private static func run(
        _ control: ControlRequest,
        _ bus: any Bus,
        authorize: Authorize
    ) async throws(VehicleError) -> CommandResult {
        var machine = RunTest(control, facts: bus.driveFacts)
        var step = machine.begin()
        while true {
            do throws(VehicleError) {
                switch step {
                case .ask(let request): step = machine.answered(try await bus.ask(request))
                case .read(let key): step = machine.read(try await bus.read(key))
                case .pause(let duration):
                    try await bus.pause(for: duration)
                    step = machine.paused()
                case .authorize: step = machine.authorized(try await authorize(bus))
                case .finished(let outcome): return outcome
                }
            } catch {
                guard case .unproven(let reason) = error else { return machine.interrupted(error.reason) }
                // The request that writes was not sent.
                step = machine.authorized(Refusal(reason: .vehicleUnknown, message: reason))
            }
        }
    }

    private func capture(
        _ order: CaptureOrder,
        _ command: Command,
        of vehicle: String
    ) async throws(VehicleError) -> CommandResult {
        try await self.access.capture(order, by: command.id, issuer: command.signer?.issuer, of: vehicle)
        return CommandResult(state: .succeeded, result: order.result)
    }

    private func boost(_ keys: [ParameterKey], for duration: Duration) async -> CommandResult {
        guard let boosted = await self.access.boost(keys, for: duration) else {
            return CommandResult(
                state: .refused,
                reason: .notAllowed,
                message: "[uplink] live is off, so no values are published. Try: another value of [uplink] live."
            )
        }
        func names(_ keys: [ParameterKey]) -> JSON { .array(keys.map { .string($0.name) }) }
        return CommandResult(
            state: .succeeded,
            result: [
                "parameters": names(keys.filter(boosted.contains)),
                "not_selected": names(keys.filter { !boosted.contains($0) }), "duration": .number(duration.seconds),
            ]
        )
    }

    private func select(_ request: SelectionRequest, of vehicle: String) async -> CommandResult {
        do throws(Refusal) {
            let (selection, unsupported, achieved) = try await self.access.select(request, of: vehicle)
            let measured = achieved?.reduce(into: [String: JSON]()) {
                $0[$1.key.name] = .number(($1.value.seconds * 1000).rounded() / 1000)
            }
            return CommandResult(
                state: .succeeded,
                result: [
                    "version": .integer(Int64(selection.version)),
                    "parameters": .object(selection.seconds.mapValues { .number($0) }),
                    "dead_bands": .object(selection.deadBands.mapValues { .number($0) }),
                    "unsupported": .array(unsupported.map { .string($0.name) }),
                    "achieved": measured.map { .object($0) } ?? .null,
                    "duration": request.duration.map { .number($0.seconds) } ?? .null,
                ]
            )
        } catch {
            return CommandResult(state: .refused, reason: error.reason, message: error.message)
        }
    }

    private func record(_ finding: Finding, of vehicle: String) async throws(VehicleError) -> CommandResult {
        let result = finding.json
        guard let problem = try await self.access.record(finding, of: vehicle) else {
            return CommandResult(state: .succeeded, result: result)
        }
        return CommandResult(
            state: .failed,
            reason: .notKept,
            message:
                "The finding was published, but could not be written to the disk (\(problem)), "
                + "so a power cut would lose it.",
            result: result
        )
    }

    private func describe(to signer: Signer?) async -> JSON {
        var result = self.description
        if let signer, signer.role >= .engineer { result["package"] = await self.access.packages() }
        result["vehicle"] = await self.access.describe().map { JSON(report: $0) } ?? .null
        return .object(result)
    }
}
