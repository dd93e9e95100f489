// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink

/// A device on the stand-in's air, and how it behaves.
struct StandInDevice: Sendable {
    struct Characteristic: Sendable {
        var uuid: String
        var flags: [String]
    }

    struct Service: Sendable {
        var uuid: String
        var characteristics: [Characteristic]
    }

    /// What becomes of a Connect.
    enum Connect: Sendable {
        case succeeds
        case fails(String, String)
        /// Success, and no link.
        case withoutLink
        /// Success, and no signal tells that `Connected` has changed, as BlueZ 5.66 does now and then.
        case silently
        /// An error, and the link comes up all the same.
        case failsAndComesUp
        /// Nothing, until somebody disconnects.
        case hangs
        /// The object goes, as that of a device that has not been heard of for long.
        case removesObject
        /// The link comes up and goes down at once.
        case dropsAtOnce
    }

    /// How packets can be had.
    enum Sockets: Sendable {
        case both, notifyOnly, none
        /// Somebody else has acquired the notifications.
        case taken
    }

    /// What the device wants before it notifies.
    enum Pairing: Sendable, Equatable {
        case open
        case justWorks
        case passkey(UInt32)
        /// It wants it, and refuses it.
        case impossible
    }

    var address = "AA:BB:CC:00:00:01"
    var name: String? = "OBDII"
    var advertised: [String] = []
    var services: [Service] = [.fff0]
    var mtu = 517
    /// How long after the start of a scan it is heard; nil: never.
    var appearsAfter: Duration? = .milliseconds(1)
    /// How many scans hear nothing of it, as those that BlueZ believes in and the controller does not do.
    var missedScans = 0
    /// BlueZ has an object for it from before.
    var isRemembered = false
    /// Somebody who is gone has left it connected.
    var isLeftConnected = false
    var sockets = Sockets.both
    var pairing = Pairing.open
    /// Whether anybody may listen, and only who is paired may write.
    var guardsWritingOnly = false
    /// What the first Connects come to; the rest succeed.
    var connects: [Connect] = []
    var connectTime = Duration.zero
    /// How long its services take; nil: for ever.
    var servicesTime: Duration? = .zero
    /// Whether an ELM327 answers; a printer says nothing.
    var isAdapter = true
    /// Characteristics that do not lead to the ELM327.
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

    /// One service with a characteristic for each direction, or one for both.
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
