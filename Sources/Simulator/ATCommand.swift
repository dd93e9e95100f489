// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// A parsed `AT` command.
enum ATCommand: Hashable, Sendable {
    case reset
    case warmStart
    case defaults
    case identify
    case describe
    case protocolTitle
    case protocolNumber
    case chooseProtocol(SelectedProtocol, store: Bool)
    case closeProtocol
    case voltage
    case ignition
    case keyWords
    case initialize(bypass: Bool)
    case monitor
    /// Monitors a J1939 parameter group: its three bytes, and the number of messages; zero for no limit.
    case monitorGroup([UInt8], count: Int)
    case lowPower
    case header([UInt8])
    case priority(UInt8)
    case receiveAddress([Character]?)
    case filter(UInt32)
    case mask(UInt32)
    case extendedAddress(UInt8?)
    case flowControlHeader(UInt32)
    case flowControlData([UInt8])
    case flowControlMode(Int)
    case timeout(UInt8)
    case adaptive(Int)
    case toggle(Toggle, Bool)
    /// Prints a constant.
    case constant(String)
    /// Accepted without an effect in the simulator.
    case accepted

    /// A setting that one digit switches on or off.
    enum Toggle: Hashable, Sendable {
        case echo, linefeeds, spaces, headers, lengthDigit, formatting, flowControl, longMessages, responses, memory
        case formatsGroups, reversesGroups
    }

    /// - Parameter text: the command after `AT`, in capitals and without spaces.
    init?(_ text: Substring) {
        guard
            let row = Self.rows.first(where: { text.hasPrefix($0.name) && $0.accepts(text.dropFirst($0.name.count)) }),
            let command = row.make(text.dropFirst(row.name.count))
        else { return nil }
        self = command
    }

    /// The syntax of a command: its name, the possible numbers of digits after it, and the conversion of these digits.
    private struct Row: Sendable {
        let name: String
        let digits: [Int]
        let make: @Sendable (Substring) -> ATCommand?

        init(_ name: String, _ digits: [Int] = [0], _ make: @escaping @Sendable (Substring) -> ATCommand?) {
            self.name = name
            self.digits = digits
            self.make = make
        }

        func accepts(_ argument: Substring) -> Bool {
            self.digits.contains(argument.count) && argument.allSatisfy { $0.isHexDigit || $0 == "X" }
        }
    }

    private static func toggle(_ name: String, _ toggle: Toggle) -> Row {
        Row(name, [1]) { $0 == "1" ? .toggle(toggle, true) : $0 == "0" ? .toggle(toggle, false) : nil }
    }

    private static func accept(_ name: String, _ digits: [Int] = [0]) -> Row {
        Row(name, digits) { $0.contains("X") ? nil : .accepted }
    }

    private static func choice(_ argument: Substring, store: Bool) -> ATCommand? {
        let automatic = argument.hasPrefix("A") && argument.count == 2 || argument == "00"
        guard let number = UInt8(argument.suffix(1), radix: 16), number <= 12, automatic || argument.count == 1 else {
            return nil
        }
        return .chooseProtocol(SelectedProtocol(automatic: automatic || number == 0, number: number), store: store)
    }

    /// Parses four or six digits of the group, and an optional digit with the number of messages.
    private static func monitorGroup(_ argument: Substring) -> ATCommand? {
        let digits = argument.prefix(argument.count / 2 * 2)
        let count = argument.count.isMultiple(of: 2) ? 0 : argument.last?.hexDigitValue
        guard let group = UInt32(digits, radix: 16), let count else { return nil }
        return .monitorGroup([16, 8, 0].map { UInt8(truncatingIfNeeded: group >> $0) }, count: count)
    }

    private static let rows: [Row] = [
        Row("Z") { _ in .reset },
        Row("WS") { _ in .warmStart },
        Row("D") { _ in .defaults },
        Row("I") { _ in .identify },
        Row("@1") { _ in .describe },
        Row("DPN") { _ in .protocolNumber },
        Row("DP") { _ in .protocolTitle },
        Row("SP", [1, 2]) { Self.choice($0, store: true) },
        Row("TP", [1, 2]) { Self.choice($0, store: false) },
        Row("PC") { _ in .closeProtocol },
        Row("RV") { _ in .voltage },
        Row("IGN") { _ in .ignition },
        Row("KW") { _ in .keyWords },
        Row("RD") { _ in .constant("00") },
        Row("AMC") { _ in .constant("00") },
        Row("BI") { _ in .initialize(bypass: true) },
        Row("SI") { _ in .initialize(bypass: false) },
        Row("FI") { _ in .initialize(bypass: false) },
        Row("MA") { _ in .monitor },
        Row("MR", [2]) { UInt8($0, radix: 16).map { _ in .monitor } },
        Row("MT", [2]) { UInt8($0, radix: 16).map { _ in .monitor } },
        Row("DM1") { _ in .monitorGroup([0x00, 0xFE, 0xCA], count: 0) },
        Row("MP", [4, 5, 6, 7]) { Self.monitorGroup($0) },
        Self.toggle("JHF", .formatsGroups),
        Row("JE") { _ in .toggle(.reversesGroups, true) },
        Row("JS") { _ in .toggle(.reversesGroups, false) },
        Self.accept("JTM", [1]),
        Row("LP") { _ in .lowPower },
        Row("SH", [3, 6]) { digits in
            UInt32(digits, radix: 16).map { .header([UInt8($0 >> 16), UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)]) }
        },
        Row("CP", [2]) { UInt8($0, radix: 16).map { .priority($0 & 0x1F) } },
        Row("CRA", [0, 3, 8]) { digits in
            .receiveAddress(digits.isEmpty ? nil : Array(digits))
        },
        Row("AR") { _ in .receiveAddress(nil) },
        Row("CF", [3, 8]) { UInt32($0, radix: 16).map { .filter($0) } },
        Row("CM", [3, 8]) { UInt32($0, radix: 16).map { .mask($0) } },
        Row("CEA", [0, 2]) { digits in
            digits.isEmpty ? .extendedAddress(nil) : UInt8(digits, radix: 16).map { .extendedAddress($0) }
        },
        Row("FCSH", [3, 6, 8]) { UInt32($0, radix: 16).map { .flowControlHeader($0) } },
        Row("FCSD", [2, 4, 6, 8, 10]) { digits in
            [UInt8](hexadecimal: digits).map { .flowControlData($0) }
        },
        Row("FCSM", [1]) { digits in Int(digits).flatMap { $0 <= 2 ? .flowControlMode($0) : nil } },
        Row("ST", [2]) { UInt8($0, radix: 16).map { .timeout($0) } },
        Row("AT", [1]) { digits in Int(digits).flatMap { $0 <= 2 ? .adaptive($0) : nil } },
        Self.accept("SS"),
        Self.toggle("E", .echo),
        Self.toggle("L", .linefeeds),
        Self.toggle("S", .spaces),
        Self.toggle("H", .headers),
        Self.toggle("D", .lengthDigit),
        Self.toggle("M", .memory),
        Self.toggle("R", .responses),
        Self.toggle("CAF", .formatting),
        Self.toggle("CFC", .flowControl),
        Row("AL") { _ in .toggle(.longMessages, true) },
        Row("NL") { _ in .toggle(.longMessages, false) },
        Self.accept("FE"),
        Self.accept("CSM", [1]),
        Self.accept("KW", [1]),
        Self.accept("V", [1]),
        Self.accept("SW", [2]),
        Self.accept("WM", [2, 4, 6, 8, 10, 12]),
        Self.accept("IB", [2]),
        Self.accept("IIA", [2]),
        Self.accept("TA", [2]),
        Self.accept("PB", [4]),
        Self.accept("AMT", [2]),
        Self.accept("CTM", [1]),
        Self.accept("CER", [2]),
    ]
}
