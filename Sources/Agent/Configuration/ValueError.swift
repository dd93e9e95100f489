// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TOML

/// The reason why a text is not valid for a key, or for an option of the command line.
package enum ValueError: Error, Equatable, Sendable {
    /// The text is not one of the known words.
    case unknownWord(String, known: [String])
    /// The text has no known form of an adapter address.
    case unknownAdapter(String)
    /// The text is not six pairs of hexadecimal digits.
    case invalidBluetoothAddress(String)
    /// The text is not a Bluetooth UUID.
    case invalidUUID(String)
    /// The text is not up to six digits; it is a secret, so the error does not repeat it.
    case invalidPIN
    /// A TCP address has no port.
    case missingPort(String)
    /// The text is not a number from 1 to 65535.
    case invalidPort(String)
    /// The text is neither a host name nor an IP address.
    case invalidHost(String)
    /// The last group of an IPv6 address without brackets could be a port.
    case unbracketedAddress(String)
    /// The text is not the absolute path of a device.
    case invalidDevice(String)
    /// The text is not the name of a network interface.
    case invalidInterface(String)
    /// No serial port has this speed.
    case invalidBaudRate(String)
    /// The URL starts with neither `mqtt://` nor `mqtts://`.
    case invalidURL(String)
    /// The text is not the address of a page, as a browser has it.
    case invalidPageURL(String)
    /// Text follows the port in a broker's URL.
    case unexpectedPath(String)
    /// The URL contains a user name; it may contain a password, so the error does not repeat it.
    case credentialsInURL
    /// The URL is plain `mqtt://` to a broker outside of the local network.
    case plaintext(String)
    /// The host of gpsd is outside of the local network.
    case remoteGPSD(String)
    /// The text is not a vehicle identification number.
    case invalidVIN(String)
    /// The text cannot be one level of a topic.
    case invalidLevel(String)
    /// The text cannot be the prefix of topics.
    case invalidPrefix(String)
    /// Commands are allowed, but no key is trusted and unsigned commands are off.
    case noSenderForAnyCommand
    /// A command is allowed, but it must be signed by a trusted key, and no key is trusted.
    ///
    /// `isForUnsigned` tells whether the role `specialist` may send it unsigned.
    case noSender(String, isForUnsigned: Bool)
    /// The text is not the absolute path of a file; it may be a secret, so the error does not repeat it.
    case invalidPath
    /// systemd has not given the agent this credential.
    case noCredential(String)
    /// No variable has this name.
    case unknownVariable(String)
    /// The machine has no value for this variable.
    case unsetVariable(String)
}

extension ValueError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownWord(let word, let known):
            "\(word.quoted) is not one of \(known.joined(separator: ", "))"
        case .unknownAdapter(let text):
            "\(text.quoted) is not an adapter address. Try: ble, ble:AA:BB:CC:DD:EE:FF, rfcomm:AA:BB:CC:DD:EE:FF, tcp:HOST:PORT, serial:/dev/ttyUSB0 or can:can0"
        case .invalidBluetoothAddress(let text):
            "\(text.quoted) is not a Bluetooth address. Try: six pairs of digits, as obd-agent scan shows them"
        case .invalidUUID(let text):
            "\(text.quoted) is not a Bluetooth UUID. Try: 4 or 32 hexadecimal digits"
        case .invalidPIN:
            "expected a PIN of up to six digits in quotes"
        case .missingPort(let text):
            "\(text.quoted) has no port. Try: tcp:HOST:35000, the port of most Wi-Fi adapters"
        case .invalidPort(let text):
            "\(text.quoted) is not a port. Try: a number from 1 to 65535"
        case .invalidHost(let text):
            "\(text.quoted) is not a host. Try: a name, an IPv4 address, or an IPv6 address in brackets"
        case .unbracketedAddress(let text):
            "\(text.quoted) has too many colons. Try: brackets around an IPv6 address, such as [fe80::1]"
        case .invalidDevice(let text):
            "\(text.quoted) is not a serial device. Try: its absolute path, such as serial:/dev/ttyUSB0?baud=38400"
        case .invalidInterface(let text):
            "\(text.quoted) is not the name of an interface. Try: can:can0, or a name that ip -brief link show type can prints"
        case .invalidBaudRate(let text):
            "\(text.quoted) is not a speed of a serial port. Try: 38400 or 115200, the speeds of most adapters"
        case .invalidURL(let text):
            "\(text.quoted) is not a broker URL. Try: mqtts://HOST or mqtt://HOST, with :PORT if it is not 8883 or 1883"
        case .invalidPageURL(let text):
            "\(text.quoted) is not the address of a page. Try: https://HOST/ as the browser shows it, up to a #"
        case .unexpectedPath(let text):
            "\(text.quoted) must end after the host and the port"
        case .credentialsInURL:
            "a URL must not contain credentials. Try: username and password_file"
        case .plaintext(let url):
            "\(url) would send everything, including the password, unencrypted over a public network. "
                + "Try: mqtts://, or allow_plaintext = true in [mqtt] of agent.toml"
        case .remoteGPSD(let host):
            "\(host.quoted) is neither this machine nor in its network, and gpsd speaks unencrypted. "
                + "Try: localhost:2947"
        case .invalidVIN(let text):
            "\(text.quoted) is not a VIN. Try: its 17 digits and letters, without I, O and Q"
        case .invalidLevel(let text):
            "\(text.quoted) is not a topic level. "
                + "Try: at most 128 bytes without /, +, # and NUL, and without $ at the start"
        case .invalidPrefix(let text):
            "\(text.quoted) is not a topic prefix. "
                + "Try: at most 128 bytes without +, #, NUL and empty levels, and without $ at the start"
        case .noSenderForAnyCommand:
            "commands are allowed, but no key is trusted and unsigned commands are off. "
                + "Try: set trusted_keys, or allow = []"
        case .noSender(let command, isForUnsigned: true):
            "\(command) is allowed, but no key is trusted and unsigned_role excludes it. "
                + "Try: set trusted_keys, or unsigned_role = \"specialist\" on a private broker"
        case .noSender(let command, isForUnsigned: false):
            "\(command) must be signed, but no key is trusted. Try: set trusted_keys"
        case .invalidPath:
            "expected the absolute path of a file, or credential:NAME"
        case .noCredential(let name):
            "there is no credential \(name.quoted). "
                + "Try: write it to /etc/credstore/obd-agent.\(name), and restart obd-agent"
        case .unknownVariable(let text):
            "\(text.quoted) is not a variable. Try: ${machine_id} or ${hostname}"
        case .unsetVariable(let text):
            "this machine has no value for \(text)"
        }
    }

    /// The known word that the user probably meant.
    package var suggestion: String? {
        switch self {
        case .unknownWord(let word, let known):
            Spelling.closest(to: word, in: known)
        case .unknownAdapter(let text):
            Spelling.closest(
                to: String(text.prefix { $0 != ":" }),
                in: AdapterAddress.kinds
            )
        default:
            nil
        }
    }
}
