// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import SocketCAN
import Testing

struct SocketCANTests {
    /// Whether the kernel of this machine has CAN.
    ///
    /// Without it, the tests of real sockets are left out.
    private static let hasCAN: Bool = {
        do throws(CANError) {
            _ = try SocketCANPort("no-such-can0")
            return true
        } catch {
            return error != .noSupport
        }
    }()

    @Test("Without CAN in the kernel the error says what to load", .disabled(if: hasCAN, "the kernel has CAN"))
    func noSupport() {
        #expect(throws: CANError.noSupport) { try SocketCANPort("can0") }
        #expect(CANError.noSupport.description.contains("Try: modprobe can-raw"))
    }

    @Test("An interface that is not there is named", .enabled(if: hasCAN, "the kernel has no CAN"))
    func noInterface() {
        #expect(throws: CANError.noInterface("no-such-can0")) { try SocketCANPort("no-such-can0") }
        #expect(throws: CANError.noInterface("a-name-longer-than-fifteen")) {
            try SocketCANPort("a-name-longer-than-fifteen")
        }
    }

    @Test("An interface that is not one of CAN is refused", .enabled(if: hasCAN, "the kernel has no CAN"))
    func notCAN() {
        #expect(throws: CANError.notCAN("lo")) { try SocketCANPort("lo") }
    }

    @Test("An error frame yields its kinds, the passive state and the counters")
    func errorFrames() {
        let passive = CANErrorReport(bits: 0x204, data: [0, 0x20, 0, 0, 0, 0, 130, 7])
        #expect(passive.kinds == [.controller, .counters] && passive.isPassive)
        #expect(passive.transmitErrors == 130 && passive.receiveErrors == 7)
        // Older kernels report no counters.
        let old = CANErrorReport(bits: 0x4, data: [0, 0x08, 0, 0, 0, 0, 96, 0])
        #expect(!old.isPassive && old.transmitErrors == nil)
        #expect(CANErrorReport(bits: 0x40, data: []).kinds == .busOff)
        #expect(CANErrorReport(bits: 0xA8, data: [0, 0, 2]).kinds == [.violation, .notAcknowledged, .bus])
    }

    @Test("Identifiers are shown as scan tools show them, and keep their width")
    func identifiers() {
        #expect(CANIdentifier(0x7E8, isExtended: false).description == "7E8")
        #expect(CANIdentifier(0x7E8, isExtended: true).description == "000007E8")
        #expect(CANIdentifier(0xFFFF_FFFF, isExtended: false).number == 0x7FF)
        #expect(CANIdentifier(0xFFFF_FFFF, isExtended: true).number == 0x1FFF_FFFF)
    }

    @Test("Each error about the interface names it, and ends with a command")
    func advice() {
        let errors: [CANError] = [
            .noInterface("can7"), .notCAN("can7"), .down("can7"), .listenOnly("can7"), .bitRate("can7", 125_000),
            .busOff("can7"), .otherBitRate("can7", 500_000), .otherBitRate("can7", nil),
        ]
        for error in errors {
            #expect(error.description.contains("can7") && error.description.contains("Try: "), "\(error)")
        }
        #expect(CANError.otherBitRate("can7", 250_000).description.hasSuffix("bitrate 500000"))
    }
}
