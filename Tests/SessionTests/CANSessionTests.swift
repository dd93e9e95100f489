// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import Logging
import OBD2
import Parking
import Session
import Simulator
import SocketCAN
import Synchronization
import Testing

struct CANSessionTests {
    @Test("A vehicle is identified and read over CAN without an adapter, and every value is true")
    func reading() async {
        let options = SimulatedVehicle.Options()
        let rig = CANRig(options)
        await rig.run(for: .seconds(60))
        let log = rig.log.contents
        #expect(log.identities.last?.vin?.description == options.vin)
        #expect(log.identities.last?.bus == .can11at500)
        #expect(log.wrong.isEmpty)
        #expect(log.dropped == 0)
        #expect(!log.readings.isEmpty)
        // Two parameters ten times a second, which one request reads.
        #expect(log.samples.filter { $0.value.field.name == "engine_speed" }.count > 550)
    }

    @Test("Nothing is sent while the bus sleeps, also not to find out whether it does")
    func sleepingBus() async {
        var conditions = SimulatedPort.Conditions()
        conditions.isAsleep = true
        let rig = CANRig(conditions: conditions)
        await rig.run(for: .seconds(8 * 3600))
        #expect(rig.sent.isEmpty)
        #expect(rig.log.contents.identities.isEmpty)
        #expect(rig.failure == "no frame is on the bus: the vehicle sleeps, and nothing was sent")
    }

    @Test("Traffic wakes the agent, and its end is noticed before the next request")
    func traffic() async {
        var conditions = SimulatedPort.Conditions()
        conditions.isAsleep = true
        let rig = CANRig(conditions: conditions)
        await rig.run(for: .seconds(600))
        #expect(rig.sent.isEmpty)
        rig.bus.conditions.withLock { $0.isAsleep = false }
        await rig.run(for: .seconds(600))
        #expect(rig.log.contents.identities.last?.vin != nil)
        #expect(rig.log.contents.wrong.isEmpty)
        rig.bus.conditions.withLock { $0.isAsleep = true }
        let end = rig.clock.now
        await rig.run(for: .seconds(3600))
        // Requests that were due before a second of silence.
        #expect(rig.sent.filter { $0.time > end + .seconds(2) }.isEmpty)
    }

    @Test("A drive that begins before the first look at a sleeping bus is read")
    func startSoonAfterSleep() async {
        let rig = CANRig()
        await rig.run(for: .seconds(30))
        rig.bus.conditions.withLock { $0.isAsleep = true }
        // Two retries find the bus asleep, and the vehicle counts as parked.
        await rig.run(for: .seconds(70))
        #expect(await rig.session.isParked)
        rig.bus.conditions.withLock { $0.isAsleep = false }
        let count = rig.log.contents.samples.count
        await rig.run(for: .seconds(120))
        #expect(rig.log.contents.samples.count > count + 100)
        #expect(rig.log.contents.wrong.isEmpty)
    }

    @Test("Requests to single ECUs need no proof of settings, which a CAN interface does not have")
    func noSettingsProof() async throws {
        let request = try CustomRequest(payload: [0x01, 0x0C], destination: Destination(header: .can11(0x7E0)))
        let speed = CustomParameter(request: request, field: Field(custom: "speed_of_one", try Formula("A")))
        let rig = CANRig(intervals: [.custom("speed_of_one"): .milliseconds(500)], custom: [speed])
        await rig.run(for: .seconds(60))
        #expect(rig.sent.filter { $0.identifier == 0x7E0 }.count > 80)
        // One at start-up, one to find ECUs whose answer was damaged, and those that prove the identity.
        #expect(rig.sent.filter { $0.payload == [0x01, 0x00] }.count < 20)
    }

    @Test("The command wake may use a bus without traffic")
    func wake() async {
        var conditions = SimulatedPort.Conditions()
        conditions.hasTraffic = false
        let rig = CANRig(conditions: conditions)
        await rig.run(for: .seconds(30))
        #expect(rig.sent.isEmpty)
        // Virtual minutes may pass before the command has its turn.
        for _ in 0..<100 where rig.log.contents.identities.isEmpty {
            await rig.run(for: .seconds(300)) { try? await rig.session.wake(for: .seconds(120)) }
        }
        #expect(rig.log.contents.identities.last?.vin != nil)
    }

    @Test("Damaged frames without a whole one show another bit rate, and nothing is sent")
    func otherBitRate() async {
        var conditions = SimulatedPort.Conditions()
        conditions.isDamaged = true
        let rig = CANRig(conditions: conditions)
        await rig.run(for: .seconds(120))
        #expect(rig.sent.isEmpty)
        #expect(rig.failure?.contains("can0 receives only damaged frames at 500000 bit/s") == true)
        #expect(rig.failure?.hasSuffix("bitrate 250000") == true)
    }

    @Test(
        "An interface that cannot send says what to do",
        arguments: [
            (CANDetails(bitRate: 500_000, isListenOnly: true), "listen-only off"),
            (CANDetails(bitRate: 125_000), "bitrate 500000"),
            (CANDetails(bitRate: 500_000, state: .busOff), "type can restart"),
        ]
    )
    func obstacles(details: CANDetails, advice: String) async {
        var conditions = SimulatedPort.Conditions()
        conditions.details = details
        let rig = CANRig(conditions: conditions)
        await rig.run(for: .seconds(60))
        #expect(rig.sent.isEmpty)
        #expect(rig.failure?.hasSuffix(advice) == true)
    }

    @Test("An interface that is down, or not there, is told with the command that helps")
    func down() async {
        let rig = CANRig(failure: .down("can0"))
        await rig.run(for: .seconds(60))
        #expect(
            rig.failure
                == "cannot open can:can0: can0 is down. Try: ip link set can0 up type can bitrate 500000"
        )
    }

    @Test("The errors of a controller are counted over all connections, and its state is that of the present one")
    func controllerErrors() async {
        let rig = CANRig()
        await rig.run(for: .seconds(20))
        #expect(await rig.session.controllerReport?.details?.state == .active)
        #expect(await rig.session.controllerReport?.errorFrames == 0)
        rig.bus.conditions.withLock { $0.report = CANErrorReport(kinds: [.busOff, .counters], transmitErrors: 248) }
        await rig.run(for: .seconds(5))
        #expect(rig.failure?.contains("can0 has left the bus") == true)
        #expect(await rig.session.controllerReport?.busOffs == 1)
        await rig.run(for: .seconds(120))
        #expect(await rig.session.controllerReport?.details?.state == .active)
        #expect(await rig.session.controllerReport?.busOffs == 1)
    }

    @Test("Lost frames of long replies and a full queue delay values, and change none")
    func losses() async {
        let options = SimulatedVehicle.Options()
        var conditions = SimulatedPort.Conditions()
        conditions.lossInterval = 2
        conditions.fullQueue = 7
        let rig = CANRig(options, conditions: conditions)
        await rig.run(for: .seconds(60))
        let log = rig.log.contents
        #expect(log.identities.last?.vin?.description == options.vin)
        #expect(log.wrong.isEmpty)
        #expect(log.dropped > 0)
    }

    @Test("After the loss of the interface the session returns by itself")
    func loss() async {
        let rig = CANRig()
        await rig.run(for: .seconds(20))
        rig.bus.conditions.withLock { $0.isDown = true }
        await rig.run(for: .seconds(60))
        #expect(rig.failure?.contains("can0 is down") == true)
        rig.bus.conditions.withLock { $0.isDown = false }
        let count = rig.log.contents.samples.count
        await rig.run(for: .seconds(120))
        #expect(rig.log.contents.samples.count > count + 100)
        #expect(rig.log.contents.wrong.isEmpty)
    }
}
