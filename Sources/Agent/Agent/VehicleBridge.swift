// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Configuration
import Contract
import Drive
import ELM327
import OBD2
import Session
import Store
import Uplink

/// The access of commands to the session, in the types of `Commands`.
struct VehicleBridge: VehicleAccess {
    let session: Session
    let vehicle: ConnectedVehicle
    let reporter: Reporter
    let findings: FindingRecorder
    let selections: Selections
    let uplink: Uplink
    let detection: DetectionSource
    private let known: KnownParameters
    private let ruleCheck: CaptureRuleCheck

    init(_ context: AgentContext, uplink: Uplink, _ sessionParts: SessionParts, _ reporting: ReportingParts) {
        (self.session, self.selections) = (sessionParts.session, sessionParts.selections)
        (self.vehicle, self.reporter) = (reporting.vehicle, reporting.reporter)
        (self.findings, self.uplink) = (reporting.findings, uplink)
        (self.known, self.ruleCheck) = (
            sessionParts.known, CaptureRuleCheck(values: context.configuration.computed.values)
        )
        self.detection = DetectionSource(paths: context.configuration.catalog, clock: context.clock)
    }

    func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (any Bus) async throws(VehicleError) -> Success
    ) async throws(VehicleError) -> Success {
        let (vehicle, reporter) = (self.vehicle, self.reporter)
        // Until the vehicle is confirmed, the topics in use may be those of the previous vehicle.
        guard vehicle.presence.isConfirmed else {
            guard await !self.session.isParked else {
                throw .parked(
                    "The vehicle is parked, so its bus is left alone. Try: switch the ignition on; or wake it, if allowed."
                )
            }
            throw .notConnected("No vehicle is identified at the moment. Try: again, once its ignition is on.")
        }
        let result: Result<Success, VehicleError>
        do throws(SessionError) {
            result = try await self.session.withBus { lease throws(SessionError) in
                do throws(VehicleError) {
                    let addressee = await vehicle.addressee(identifiedAs: lease.identity)
                    return .success(try await body(LeasedBus(lease: lease, reporter: reporter, vehicle: addressee)))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw VehicleError(error)
        }
        return try result.get()
    }

    func select(_ wish: SelectionRequest, of vehicle: String) async throws(Refusal) -> SelectionResult {
        let selection = try await self.session.select(for: wish.duration) { (present, pollable) throws(Refusal) in
            try wish.resolved(from: present, pollable: pollable)
        }
        // A temporary selection reserves the next version, with which the lasting one returns.
        var lasting = await self.session.lasting
        lasting.version = wish.duration == nil ? selection.version : selection.version + 1
        await self.selections.keep(lasting, of: vehicle)
        return (selection, await self.session.unsupported, await self.session.achieved)
    }

    func boost(_ keys: [ParameterKey], for duration: Duration) async -> Set<ParameterKey>? {
        let selected = await self.session.currentSelection.intervals
        let boosted = Set(keys).intersection(selected.keys)
        return await self.uplink.boost(PolledValues.names(of: boosted), for: duration) ? boosted : nil
    }

    func capture(
        _ order: CaptureOrder,
        by id: String,
        issuer: String?,
        of vehicle: String
    ) async throws(VehicleError) {
        let presence = self.vehicle.presence
        guard presence.isConfirmed, presence.name == vehicle else {
            throw .notConnected("No vehicle is identified at the moment. Try: again, once its ignition is on.")
        }
        if case .rule(let rule, _) = order {
            let polled = await self.session.polledParameters
            let refusal = self.ruleCheck.refusal(of: rule, polled: polled, custom: self.known.all)
            if let refusal { throw .refused(refusal) }
        }
        do throws(CaptureWatch.Refusal) {
            try await self.reporter.capture(order, by: id, issuer: issuer)
        } catch {
            throw .refused(Refusal(error))
        }
    }

    func wake(for duration: Duration) async throws(VehicleError) {
        do throws(SessionError) { try await self.session.wake(for: duration) } catch { throw VehicleError(error) }
        guard await self.vehicle.waitUntilConfirmed() else {
            throw .notConnected("The vehicle was woken, but not identified. Try: again, with the ignition on.")
        }
    }

    func keep(_ event: AgentEvent) async -> String? {
        if let problem = await self.uplink.record(event) { return problem }
        return await self.uplink.storeProblem
    }

    func record(_ finding: Finding, of vehicle: String) async throws(VehicleError) -> String? {
        guard await self.findings.isKnown(vehicle) else {
            throw .notConnected("No vehicle has been identified as \(vehicle) yet, so the finding was not kept.")
        }
        await self.findings.record(finding, of: vehicle)
        return await self.uplink.storeProblem
    }

    func modelSearch(make: String?, year: Int?) async throws(Refusal) -> ModelSearch {
        try self.detection.search(vin: await self.session.identity?.vin, make: make, year: year)
    }

    @discardableResult
    func detected(_ course: DetectionCourse, of vehicle: String) async -> String? {
        await self.vehicle.adopt(course, of: vehicle)
    }

    func resend(_ request: ResendArguments) async throws(Refusal) -> ResendReport {
        guard await self.uplink.delayOfResend() == 0 else {
            throw Refusal(
                .noRoom,
                "Other commands have asked for as many records as may be published again now. "
                    + "Try: a new command later."
            )
        }
        do throws(StoreError) {
            return try await self.uplink.resend(request)
        } catch .notBegun(let epoch, let present) {
            throw Refusal(.badArguments, "\(StoreError.notBegun(epoch: epoch, present: present))")
        } catch {
            throw Refusal(.recordsUnreadable, "The records could not be read: \(error). Try: again later.")
        }
    }

    func describe() async -> VehicleReport? {
        await self.reporter.vehicleReport()
    }

    func packages() async -> JSON { PackageLists.present().json }
}

/// A lease of the session's bus, in the types of `Commands`.
private struct LeasedBus: Bus {
    let lease: BusLease
    let reporter: Reporter
    let vehicle: CommandExecutor.Vehicle

    var layout: MessageLayout { self.lease.identity.layout }

    var dialect: Dialect { self.lease.identity.dialect }

    var ecus: [String] { self.lease.identity.ecus.keys.sorted().map(\.description) }

    func pid(of parameter: PID) -> PID { self.lease.identity.pid(of: parameter) }

    func conventions(of ecu: String) -> ECUConventions {
        self.lease.identity.ecus.first { $0.key.description == ecu }?.value.conventions ?? .standard
    }

    func ask(_ request: Request) async throws(VehicleError) -> [String: ECUReply] {
        let outcome: BusOutcome
        do throws(SessionError) { outcome = try await self.lease.ask(request) } catch { throw VehicleError(error) }
        guard case .answered(let replies) = outcome else { return [:] }
        return replies.byName
    }

    func proveVehicle() async throws(VehicleError) -> VehicleProof {
        do throws(SessionError) { return try await self.lease.proveVehicle() } catch { throw VehicleError(error) }
    }

    var driveFacts: DriveFacts {
        let identity = self.lease.identity
        return DriveFacts(
            hasEngineSpeed: identity.supports(0x0C),
            isElectric: identity.drivesElectrically || !self.lease.ready.isEmpty,
            speeds: self.lease.speeds,
            ready: self.lease.ready
        )
    }

    func pause(for duration: Duration) async throws(VehicleError) {
        do throws(SessionError) { try await self.lease.pause(for: duration) } catch { throw VehicleError(error) }
    }

    func letPollPass() async throws(VehicleError) {
        do throws(SessionError) { try await self.lease.letPollPass() } catch { throw VehicleError(error) }
    }

    func reaches(_ destination: Destination?) -> Bool { self.lease.identity.reaches(destination) }

    func send(_ request: RawRequest, to destination: Destination?) async throws(VehicleError) -> RawReply {
        let outcome: BusOutcome
        do throws(SessionError) {
            outcome = try await self.lease.send(request, to: destination)
        } catch {
            throw VehicleError(error)
        }
        switch outcome {
        case .answered(let replies): return RawReply(replies.byName)
        case .noData, .settingsNotRestored, .adapterRestarted, .adapterSilent: return RawReply([:])
        case .busUnavailable: return RawReply([:], problem: "the adapter cannot use the bus")
        case .unusable: return RawReply([:], problem: "the reply could not be decoded")
        case .refused(let line): return RawReply([:], problem: "the adapter rejects \(line)")
        case .withdrawn: return RawReply([:], problem: "the request was not sent")
        }
    }

    func hold(_ duration: Duration) async { await self.lease.hold(duration) }

    func read(_ key: ParameterKey) async throws(VehicleError) -> ParameterValues {
        let answer: ParameterAnswer
        do throws(SessionError) { answer = try await self.lease.read(key) } catch { throw VehicleError(error) }
        return ParameterValues(answer.values.byName, isDamaged: answer.isDamaged)
    }

    func readCodes() async throws(VehicleError) -> CodesReport {
        do throws(SessionError) {
            return await self.reporter.report(of: try await self.lease.readCodes())
        } catch {
            throw VehicleError(error)
        }
    }

    func readMonitors() async throws(VehicleError) -> MonitorsReport? {
        do throws(SessionError) {
            return await self.reporter.report(of: try await self.lease.readMonitors())
        } catch {
            throw VehicleError(error)
        }
    }

    func readVehicle() async throws(VehicleError) -> VehicleReport {
        do throws(SessionError) {
            return await self.reporter.report(of: try await self.lease.readVehicle())
        } catch {
            throw VehicleError(error)
        }
    }
}

extension Dictionary where Key == ECUAddress {
    /// The values by the names of the ECUs.
    fileprivate var byName: [String: Value] {
        [String: Value](self.map { ($0.key.description, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension Refusal {
    fileprivate init(_ refusal: CaptureWatch.Refusal) {
        switch refusal {
        case .isRunning:
            self.init(.noRoom, "Another capture runs. Try: again in a minute.")
        case .noneLeftToday:
            self.init(
                .noRoom,
                "Commands have had all \(CaptureBudget.commands) captures of today. Try: again tomorrow."
            )
        case .tooManyRules:
            self.init(
                .noRoom,
                "There are \(CaptureRule.countLimit) rules already. Try: again once one of them is over."
            )
        case .nameIsTaken:
            self.init(
                .badArguments,
                "$.arguments.rule.name: a rule of the agent's configuration, or the built-in one, has this name. "
                    + "Try: another name"
            )
        }
    }
}

extension VehicleError {
    fileprivate init(_ error: SessionError) {
        switch error {
        case .notConnected: self = .notConnected(error.description)
        case .vehicleUnexpected, .vehicleChanged: self = .unexpected(error.description)
        case .parked, .standing: self = .parked(error.description)
        case .lowVoltage: self = .lowVoltage(error.description)
        case .noProbeLeft: self = .noProbeLeft(error.description)
        case .vehicleUnproven: self = .unproven(error.description)
        case .startUp, .link: self = .notConnected(error.description)
        case .busy: self = .busy
        default: self = .lost(error.description)
        }
    }
}
