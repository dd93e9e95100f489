// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML


/// Why a text is not the value that a key, or an option of the command line, wants.
package enum ValueError: Error, Equatable, Sendable {
    /// Not one of the words that are known here.
    case unknownWord(String, known: [String])
    /// No known way to an adapter.
    case unknownAdapter(String)
    /// Not six pairs of hexadecimal digits.
    case invalidBluetoothAddress(String)
    /// Not a Bluetooth UUID.
    case invalidUUID(String)
    /// Not up to six digits. It is not repeated: it is a secret.
    case invalidPIN
    /// A TCP address without its port.
    case missingPort(String)
    /// Not a number from 1 to 65535.
    case invalidPort(String)
    /// Neither a host name nor an IP address.
    case invalidHost(String)
    /// An IPv6 address whose last group could as well be a port.
    case unbracketedAddress(String)
    /// Not the absolute path of a device.
    case invalidDevice(String)
    /// A speed that no serial port offers.
    case invalidBaudRate(String)
    /// Neither `mqtt://` nor `mqtts://`.
    case invalidURL(String)
    /// Something after the port of a broker's URL.
    case unexpectedPath(String)
    /// A user name in a URL. It is not repeated: a password may stand beside it.
    case credentialsInURL
    /// Plain `mqtt://` over a network that strangers may read.
    case plaintext(String)
    /// No vehicle identification number.
    case invalidVIN(String)
    /// Cannot be one level of a topic.
    case invalidLevel(String)
    /// Cannot be what topics begin with.
    case invalidPrefix(String)
    /// Commands are allowed, and nobody may give them.
    case nobodyMayCommand
    /// A command that only whoever signs may give, and no signature counts.
    case nobodyMayAsk(String, isForUnsigned: Bool)
    /// Not the absolute path of a file. It is not repeated: it may be the secret itself.
    case invalidPath
    /// systemd has given the agent no such credential.
    case noCredential(String)
    /// A variable that there is not.
    case unknownVariable(String)
    /// A variable of which this machine does not tell the value.
    case unsetVariable(String)
}

extension ValueError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownWord(let word, let known):
            "\(word.quoted) is not one of \(known.joined(separator: ", "))"
        case .unknownAdapter(let text):
            "\(text.quoted) is no adapter address; write ble, ble:AA:BB:CC:DD:EE:FF, rfcomm:AA:BB:CC:DD:EE:FF, tcp:HOST:PORT or serial:/dev/ttyUSB0"
        case .invalidBluetoothAddress(let text):
            "\(text.quoted) is no Bluetooth address; write six pairs of digits as obd-agent scan shows them"
        case .invalidUUID(let text):
            "\(text.quoted) is no Bluetooth UUID; write 4 or 32 hexadecimal digits"
        case .invalidPIN:
            "expected a PIN of up to six digits in quotes"
        case .missingPort(let text):
            "\(text.quoted) lacks the port; most Wi-Fi adapters listen on 35000: tcp:HOST:35000"
        case .invalidPort(let text):
            "\(text.quoted) is no port; use a number from 1 to 65535"
        case .invalidHost(let text):
            "\(text.quoted) is no host; use a name, an IPv4 address, or an IPv6 address in brackets"
        case .unbracketedAddress(let text):
            "\(text.quoted) has too many colons; put an IPv6 address in brackets: [fe80::1]"
        case .invalidDevice(let text):
            "\(text.quoted) is no serial device; write its whole path, as in serial:/dev/ttyUSB0?baud=38400"
        case .invalidBaudRate(let text):
            "\(text.quoted) is no speed of a serial port; most adapters use 38400 or 115200"
        case .invalidURL(let text):
            "\(text.quoted) is no broker URL; write mqtts://HOST or mqtt://HOST, with :PORT if it is not 8883 or 1883"
        case .unexpectedPath(let text):
            "\(text.quoted) must end after the host and port"
        case .credentialsInURL:
            "a URL must not hold credentials; set username and password_file instead"
        case .plaintext(let url):
            "\(url) would send everything unencrypted, the password too, over a public network; use mqtts://, or set allow_plaintext = true"
        case .invalidVIN(let text):
            "\(text.quoted) is no VIN; write its 17 digits and letters, of which none is I, O or Q"
        case .invalidLevel(let text):
            "\(text.quoted) cannot be part of a topic; no /, +, #, NUL or $ at the start, at most 128 bytes"
        case .invalidPrefix(let text):
            "\(text.quoted) cannot be part of a topic; no +, #, NUL, $ at the start or empty level, at most 128 bytes"
        case .nobodyMayCommand:
            "nobody may command: set trusted_keys, or allow = []"
        case .nobodyMayAsk(let command, isForUnsigned: true):
            "nobody may ask for \(command): set trusted_keys, or unsigned_role = \"specialist\" on a broker of your own"
        case .nobodyMayAsk(let command, isForUnsigned: false):
            "nobody may ask for \(command), which must be signed: set trusted_keys"
        case .invalidPath:
            "expected the absolute path of a file, beginning with /, or credential:NAME"
        case .noCredential(let name):
            "there is no credential \(name.quoted); write it to /etc/credstore/obd-agent.\(name), and restart obd-agent"
        case .unknownVariable(let text):
            "\(text.quoted) is no variable; there are ${machine_id} and ${hostname}"
        case .unsetVariable(let text):
            "this machine does not tell what \(text) is"
        }
    }

    /// What was probably meant.
    var suggestion: String? {
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
