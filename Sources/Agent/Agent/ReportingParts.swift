// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import EventLoop
import HomeAssistant
import Session
import Store
import Uplink

/// The parts that report what the session reads: the connected vehicle, the reporter, the announcer and the findings.
struct ReportingParts: Sendable {
    let announcer: Announcer
    let vehicle: ConnectedVehicle
    let reporter: Reporter
    let findings: FindingRecorder

    init(_ context: AgentContext, _ opened: OpenedStore, _ uplink: Uplink, _ sessionParts: SessionParts) async {
        let configuration = context.configuration
        let mapping = ContractMapping(
            clock: context.clock,
            isImperial: configuration.mqtt.units == .imperial
        )
        let announcer = await Announcer(
            Discovery.Options(configuration, context.surroundings.machine),
            known: sessionParts.known,
            uplink: uplink,
            store: opened.store,
            clock: context.clock,
            logger: context.logger
        )
        await announcer.offer(configuration.offeredButtons)
        let vehicle = ConnectedVehicle(
            context,
            opened,
            uplink: uplink,
            announcer: announcer,
            sessionParts: sessionParts
        )
        let findings = FindingRecorder(store: opened.store, uplink: uplink, clock: context.clock)
        let (recorder, health) = (sessionParts.recorder, sessionParts.health)
        self.announcer = announcer
        self.vehicle = vehicle
        self.findings = findings
        self.reporter = Reporter(
            context.identity,
            mapping: mapping,
            values: PolledValues(
                sessionParts.selection,
                charging: sessionParts.known.charging,
                chargingInterval: configuration.parking.chargingInterval
            ),
            drive: DriveWatch(
                configuration,
                clock: context.clock,
                boot: context.surroundings.machine.boot,
                zones: context.zones,
                captures: opened.captures
            ),
            diagnostics: VehicleDiagnostics(mapping, boot: context.surroundings.machine.boot),
            vehicle: vehicle,
            session: sessionParts.session,
            outlets: Reporter.Outlets(
                uplink: uplink,
                store: opened.store,
                announcer: announcer,
                findings: findings,
                logger: context.logger,
                keepStatus: {
                    recorder?.keep($0)
                    health.statusReported($0)
                }
            )
        )
    }
}
