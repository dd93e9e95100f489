// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink

/// A simulated device and its behavior.
struct StandInDevice: Sendable {
    struct Characteristic: Sendable {
        var uuid: String
        var flags: [String]
    }

    struct Service: Sendable {
        var uuid: String
        var characteristics: [Characteristic]
    }

    /// The outcome of a Connect call.
    enum Connect: Sendable {
        case succeeds
        case fails(String, String)
        /// Success without a link.
        case withoutLink
        /// Success without a signal of the change of `Connected`, as BlueZ 5.66 does at times.
        case succeedsWithoutSignal
        /// An error, after which the link still comes up.
        case failsAndComesUp
        /// No answer until a disconnection.
        case hangs
        /// The object is removed, like that of a device that was long out of range.
        case removesObject
        /// The link comes up and drops at once.
        case dropsAtOnce
    }

    /// The sockets that the stand-in offers for packets.
    enum Sockets: Sendable {
        case both, notifyOnly, none
        /// Another client has acquired the notifications.
        case taken
    }

    /// The pairing that the device requires before it notifies.
    enum Pairing: Sendable, Equatable {
        case open
        case justWorks
        case passkey(UInt32)
        /// The device requires pairing and refuses it.
        case impossible
    }

    var address = "AA:BB:CC:00:00:01"
    var name: String? = "OBDII"
    var advertised: [String] = []
    var services: [Service] = [.fff0]
    var mtu = 517
    /// The time from the start of a scan until the device is found; nil: never.
    var appearsAfter: Duration? = .milliseconds(1)
    /// The number of scans that miss the device, like scans that BlueZ reports and the controller does not perform.
    var missedScans = 0
    /// Whether BlueZ has an object of the device from an earlier time.
    var isRemembered = false
    /// Whether an earlier client has left the device connected.
    var isLeftConnected = false
    var sockets = Sockets.both
    var pairing = Pairing.open
    /// Whether only writes require pairing.
    var guardsWritingOnly = false
    /// The outcomes of the first Connect calls; later calls succeed.
    var connects: [Connect] = []
    var connectTime = Duration.zero
    /// The duration of the service discovery; nil: endless.
    var servicesTime: Duration? = .zero
    /// Whether an ELM327 answers; a printer does not answer.
    var isAdapter = true
    /// The UUIDs of characteristics that are not connected to the ELM327.
    var dead: Set<String> = []

    var path: String { "/org/bluez/hci0/dev_" + self.address.map { $0 == ":" ? "_" : String($0) }.joined() }
}

extension StandInDevice.Service {
    static let fff0 = Self(
        "fff0",
        notify: "fff1",
        ["notify", "read"],
        write: "fff2",
        ["write", "write-without-response"]
    )

    /// Creates a service with one characteristic for each direction, or one for both.
    init(_ uuid: String, notify: String, _ notifyFlags: [String], write: String, _ writeFlags: [String]) {
        self.uuid = Self.long(uuid)
        if notify == write {
            self.characteristics = [.init(uuid: Self.long(notify), flags: notifyFlags + writeFlags)]
        } else {
            self.characteristics = [
                .init(uuid: Self.long(notify), flags: notifyFlags), .init(uuid: Self.long(write), flags: writeFlags),
            ]
        }
    }

    private static func long(_ uuid: String) -> String {
        BluetoothUUID(uuid)?.description ?? uuid
    }
}
