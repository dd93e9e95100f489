// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Commands
import Contract
import ELM327
import OBD2
import Session
import Uplink

/// Gives commands the session, in the words that they know.
struct VehicleBridge: VehicleAccess {
    let session: Session
    let reporter: Reporter
    let selections: Selections
    let uplink: Uplink

    func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (any Bus) async throws(VehicleError) -> Success
    ) async throws(VehicleError) -> Success {
        let reporter = self.reporter
        // Until then the topics may be those of the vehicle before.
        guard await reporter.isConfirmed else { throw .notConnected("no vehicle is identified at the moment") }
        let result: Result<Success, VehicleError>
        do throws(SessionError) {
            result = try await self.session.withBus { lease throws(SessionError) in
                do throws(VehicleError) {
                    return .success(try await body(LeasedBus(lease: lease, reporter: reporter)))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw VehicleError(error)
        }
        return try result.get()
    }

    func select(_ intervals: [ParameterKey: Duration], for duration: Duration?) async -> SelectionReport {
        let selection = await self.session.select(intervals, for: duration)
        // The number after a temporary one's is that with which the lasting one comes back.
        await self.selections.keep(
            await self.session.lasting.intervals,
            version: duration == nil ? selection.version : selection.version + 1,
            of: await self.reporter.currentVehicle().name
        )
        return SelectionReport(
            version: selection.version,
            intervals: ContractMapping.intervals(selection),
            unsupported: await self.session.unsupported.map(\.name)
        )
    }

    func boost(_ keys: [ParameterKey], for duration: Duration) async -> Set<ParameterKey>? {
        let selected = await self.session.currentSelection.intervals
        let boosted = Set(keys).intersection(selected.keys)
        return await self.uplink.boost(Reporter.names(of: boosted), for: duration) ? boosted : nil
    }

    func keep(_ event: AgentEvent) async -> String? {
        await self.uplink.record(event)
        return await self.uplink.storeProblem
    }

    func record(_ finding: Finding, of vehicle: String) async throws(VehicleError) -> String? {
        guard await self.reporter.knows(vehicle) else {
            throw .notConnected("no vehicle has been identified yet, so nobody knows whose finding this is")
        }
        await self.reporter.record(finding, of: vehicle)
        return await self.uplink.storeProblem
    }

    func describe() async -> VehicleReport? {
        await self.reporter.vehicleReport()
    }
}

/// A lease of the session's, in the words that commands know.
private struct LeasedBus: Bus {
    let lease: BusLease
    let reporter: Reporter

    var layout: MessageLayout { self.lease.identity.layout }

    var dialect: Dialect { self.lease.identity.dialect }

    var ecus: [String] { self.lease.identity.ecus.keys.sorted().map(\.description) }

    func ask(_ request: Request) async throws(VehicleError) -> [String: ECUAnswer] {
        let outcome: BusOutcome
        do throws(SessionError) { outcome = try await self.lease.ask(request) } catch { throw VehicleError(error) }
        guard case .answered(let replies) = outcome else { return [:] }
        return Dictionary(
            replies.map { ecu, reply in
                switch reply {
                case .positive(let messages): (ecu.description, ECUAnswer.positive(messages))
                case .negative(let code): (ecu.description, ECUAnswer.negative(code))
                }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func read(_ key: ParameterKey) async throws(VehicleError) -> [String: FieldValue] {
        let values: [ECUAddress: FieldValue]
        do throws(SessionError) { values = try await self.lease.read(key) } catch { throw VehicleError(error) }
        return Dictionary(values.map { ($0.key.description, $0.value) }) { first, _ in first }
    }

    func readCodes() async throws(VehicleError) -> CodesReport {
        do throws(SessionError) {
            return await self.reporter.report(try await self.lease.readCodes())
        } catch {
            throw VehicleError(error)
        }
    }

    func readMonitors() async throws(VehicleError) -> MonitorsReport? {
        do throws(SessionError) {
            return await self.reporter.report(try await self.lease.readMonitors())
        } catch {
            throw VehicleError(error)
        }
    }

    func readVehicle() async throws(VehicleError) -> VehicleReport {
        do throws(SessionError) {
            return await self.reporter.report(try await self.lease.readVehicle())
        } catch {
            throw VehicleError(error)
        }
    }
}

extension VehicleError {
    fileprivate init(_ error: SessionError) {
        switch error {
        case .notConnected: self = .notConnected(error.description)
        case .busy: self = .busy
        default: self = .lost(error.description)
        }
    }
}
