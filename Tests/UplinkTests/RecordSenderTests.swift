// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Store
import Testing

@testable import Uplink

@Suite("Records in flight")
struct RecordSenderTests {
    private static func time(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    private static func packet(_ number: Int) -> PacketID { PacketID(rawValue: UInt16(number)) }

    /// A sender with the records 1 to `count` in flight, each in the packet of its number.
    private static func sender(_ count: Int, of vehicle: String = "van") -> RecordSender {
        var sender = RecordSender()
        for number in 1...count { Self.publish(number, of: vehicle, &sender, at: 0) }
        return sender
    }

    private static func publish(
        _ number: Int,
        of vehicle: String,
        _ sender: inout RecordSender,
        at seconds: Int,
        isAgain: Bool = false
    ) {
        let record = StoredRecord(
            stream: .events,
            id: RecordID(epoch: 1, seq: UInt64(number)),
            birth: .init(boot: "b", at: .zero),
            body: [],
            destination: .init(vehicle: vehicle)
        )
        let outgoing = OutgoingRecord(record: record, isAgain: isAgain)
        sender.published(outgoing, as: Self.packet(number), at: Self.time(seconds))
    }

    @Test("At most 20 records are in flight, and twice as many before the last connection ends")
    func window() {
        #expect(Self.sender(19).hasRoom(at: .zero))
        var sender = Self.sender(20)
        #expect(!sender.hasRoom(at: .zero) && sender.hasRoomBeforeEnd)
        #expect(sender.acknowledged(Self.packet(7), at: .zero)?.id.seq == 7)
        #expect(sender.acknowledged(Self.packet(7), at: .zero) == nil)
        #expect(sender.hasRoom(at: .zero))
        #expect(!Self.sender(40).hasRoomBeforeEnd)
        sender.connectionLost()
        #expect(sender.acknowledged(Self.packet(8), at: .zero) == nil)
    }

    @Test("A rejected record that was published again is dropped, and stops no other")
    func rejectedAgain() {
        var sender = Self.sender(1)
        Self.publish(2, of: "van", &sender, at: 0, isAgain: true)
        Self.publish(3, of: "van", &sender, at: 0, isAgain: true)
        let expected = RecordSender.InFlight(
            stream: .events,
            id: RecordID(epoch: 1, seq: 2),
            vehicle: "van",
            isAgain: true
        )
        #expect(sender.rejected(Self.packet(2), 0x97, vehicle: "van", at: .zero) == .giveUp(expected))
        #expect(sender.hasRoom(at: .zero))
        #expect(sender.acknowledged(Self.packet(1), at: .zero)?.isAgain == false)
        #expect(sender.acknowledged(Self.packet(3), at: .zero)?.isAgain == true)
    }

    @Test("A rejection returns all records, pauses them for a minute, and is logged once in that minute")
    func rejection() {
        var sender = Self.sender(3)
        let reports = [1, 2].map { sender.rejectionReport(Self.packet($0), 0x97, vehicle: "van", at: .zero) }
        #expect(reports == ["The broker rejects messages", nil])
        #expect(sender.rejected(Self.packet(1), 0x97, vehicle: "van", at: .zero) == .returnInFlight)
        #expect(sender.rejected(Self.packet(2), 0x97, vehicle: "van", at: .zero) == .none)
        #expect(!sender.hasRoom(at: Self.time(59)) && sender.hasRoom(at: Self.time(60)))
        sender.resume(at: Self.time(5))
        #expect(sender.hasRoom(at: Self.time(5)))
        let later = sender.rejectionReport(Self.packet(3), 0x87, vehicle: "van", at: Self.time(60))
        #expect(later?.contains("access list") == true)
    }

    @Test("A record of another vehicle is given up after ten minutes of prohibition, one of the current vehicle never")
    func prohibition() {
        for (vehicle, isGivenUp) in [("old", true), ("van", false)] {
            var sender = RecordSender()
            for seconds in stride(from: 0, through: 600, by: 60) {
                Self.publish(1, of: vehicle, &sender, at: seconds)
                let action = sender.rejected(Self.packet(1), 0x87, vehicle: "van", at: Self.time(seconds))
                guard isGivenUp, seconds == 600 else {
                    #expect(action == .returnInFlight)
                    continue
                }
                let id = RecordID(epoch: 1, seq: 1)
                #expect(action == .giveUp(.init(stream: .events, id: id, vehicle: "old", isAgain: false)))
            }
        }
    }

    @Test("An acknowledgement ends the prohibition of its vehicle")
    func permission() {
        var sender = RecordSender()
        for (seconds, isRejected) in [(0, true), (300, false), (600, true), (1199, true)] {
            Self.publish(1, of: "old", &sender, at: seconds)
            if isRejected {
                let action = sender.rejected(Self.packet(1), 0x87, vehicle: "van", at: Self.time(seconds))
                #expect(action == .returnInFlight)
            } else {
                #expect(sender.acknowledged(Self.packet(1), at: Self.time(seconds)) != nil)
            }
        }
    }

    @Test("A connection is stalled a minute after the last acknowledgement, and never without records in flight")
    func stalled() {
        var sender = RecordSender()
        #expect(!sender.isStalled(at: Self.time(1000)))
        Self.publish(1, of: "van", &sender, at: 1000)
        Self.publish(2, of: "van", &sender, at: 1030)
        #expect(!sender.isStalled(at: Self.time(1059)) && sender.isStalled(at: Self.time(1060)))
        _ = sender.acknowledged(Self.packet(1), at: Self.time(1059))
        #expect(!sender.isStalled(at: Self.time(1118)) && sender.isStalled(at: Self.time(1119)))
        _ = sender.acknowledged(Self.packet(2), at: Self.time(1119))
        #expect(!sender.isStalled(at: Self.time(2000)))
    }
}
