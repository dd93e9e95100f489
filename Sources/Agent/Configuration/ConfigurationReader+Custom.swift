// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import TOML

/// A custom parameter as it stands in a file.
struct CustomEntry: Sendable {
    let parameter: CustomParameter
    /// How often it is read where `[parameters]` does not say; nil for not at all.
    let interval: Duration?
    let file: String
    let line: Int

    /// The most in all files together.
    static let limit = 2000
    /// The longest name, in bytes.
    static let nameLimit = 64
}

/// The keys of a table `[custom.NAME]`.
enum CustomKey: String, CaseIterable, Sendable {
    case title, request, header, receive
    case extendedAddress = "extended_address"
    case testerAddress = "tester_address"
    case flowControl = "flow_control"
    case timeout, formula, unit, min, max, labels, interval
}

extension ConfigurationReader {
    /// The tables `[custom.NAME]` of this file.
    ///
    /// - Parameter anyHeader: whether a header may lie outside of the diagnostic addresses.
    mutating func custom(anyHeader: Bool) -> [CustomEntry] {
        guard let table = self.table(.custom) else { return [] }
        var entries: [CustomEntry] = []
        for entry in table.entries {
            let name = entry.name
            guard let keys = entry.value.table else {
                let message = "expected a table [custom.\(name.quotedIfNeeded)], found \(entry.value)"
                self.report(Self.customPath(name), message)
                continue
            }
            guard self.isFree(name), let parameter = self.customParameter(name, keys, anyHeader) else { continue }
            let interval = keys["interval"].flatMap {
                self.seconds($0.value, at: Self.customPath(name, .interval), in: Configuration.intervals)
            }
            let place = self.place(of: Self.customPath(name))
            entries.append(CustomEntry(parameter: parameter, interval: interval, file: place.file, line: place.line))
        }
        return entries
    }

    /// Whether `name` may be that of a custom parameter; if not, says why.
    private mutating func isFree(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_")
        }
        let beginsRight = name.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? false
        if name.utf8.count > CustomEntry.nameLimit || !isPlain || !beginsRight || name == Self.setsKey {
            self.report(
                Self.customPath(name),
                "a name has 1 to \(CustomEntry.nameLimit) of a-z, 0-9 and _, a letter first"
            )
        } else if Parameter.named(name) != nil || SupplyValue(rawValue: name) != nil {
            self.report(Self.customPath(name), "the catalogue has a parameter of this name; choose another")
        } else {
            return true
        }
        return false
    }

    private mutating func customParameter(_ name: String, _ keys: Table, _ anyHeader: Bool) -> CustomParameter? {
        for key in keys.entries.map(\.name) where CustomKey(rawValue: key) == nil {
            let meant = Spelling.closest(to: key, in: CustomKey.allCases.map(\.rawValue))
            self.report(Self.customPath(name) + [key], "unknown key", suggestion: meant)
        }
        let before = self.problemCount
        let entry = CustomTable(name: name, keys: keys)
        let title = self.customText(entry, .title)
        let destination = self.destination(entry)
        if let header = destination?.header, !header.isDiagnostic, !anyHeader {
            self.report(
                entry.path(.header),
                "\(header) is no diagnostic address, so ECUs may take the request for a message of another kind. "
                    + "Try: one of \(Destination.Header.diagnosticRanges); or, if the manufacturer asks there, "
                    + "[adapter] \(Key.adapterNonDiagnosticHeaders.name) = true in agent.toml"
            )
        }
        let request = self.request(entry, destination)
        let field = self.field(entry)
        guard let request, let field, self.problemCount == before else { return nil }
        return CustomParameter(title: title, request: request, field: field)
    }

    // MARK: - What is asked

    private mutating func request(_ entry: CustomTable, _ destination: Destination?) -> CustomRequest? {
        guard let text = self.customText(entry, .request) else {
            self.reportMissing(entry, .request, "write service and data, as in request = \"22F190\"")
            return nil
        }
        guard let payload = Self.bytes(text) else {
            self.report(entry.path(.request), "expected bytes in hexadecimal, as in \"22F190\"")
            return nil
        }
        do {
            return try CustomRequest(payload: payload, destination: destination)
        } catch {
            self.report(entry.path(.request), error.description)
            return nil
        }
    }

    /// Whom to ask; nil for everybody.
    private mutating func destination(_ entry: CustomTable) -> Destination? {
        let header = self.header(entry, .header)
        let responder = self.header(entry, .receive)
        let extendedAddress = self.byte(entry, .extendedAddress)
        let testerAddress = self.byte(entry, .testerAddress)
        let setsFlowControl = self.customFlag(entry, .flowControl)
        let timeout = entry[.timeout].flatMap {
            self.seconds($0, at: entry.path(.timeout), in: 0.004...1.044)
        }
        guard let header, !header.isFunctional else {
            for key in [CustomKey.receive, .extendedAddress, .testerAddress, .flowControl, .timeout]
            where entry[key] != nil {
                self.report(entry.path(key), "has no effect without the header of one ECU")
            }
            return nil
        }
        if testerAddress != nil, extendedAddress == nil {
            self.report(entry.path(.testerAddress), "has no effect without extended_address")
        }
        let destination = Destination(
            header: header,
            responder: responder,
            extendedAddress: extendedAddress,
            testerAddress: testerAddress ?? Destination.tester,
            setsFlowControl: setsFlowControl ?? false,
            timeout: timeout
        )
        if destination == nil {
            let message =
                responder == nil
                ? "whose answer belongs to this header is not known; set receive" : "must have as many digits as header"
            self.report(entry.path(responder == nil ? .header : .receive), message)
        }
        return destination
    }

    private mutating func header(_ entry: CustomTable, _ key: CustomKey) -> Destination.Header? {
        guard let text = self.customText(entry, key) else { return nil }
        guard let header = Destination.Header(text) else {
            self.report(
                entry.path(key),
                "expected 3 hexadecimal digits (CAN, 11 bits), 8 (CAN, 29 bits) or 6 (the older buses)"
            )
            return nil
        }
        return header
    }

    private mutating func byte(_ entry: CustomTable, _ key: CustomKey) -> UInt8? {
        guard let text = self.customText(entry, key) else { return nil }
        guard let bytes = Self.bytes(text), bytes.count == 1 else {
            self.report(entry.path(key), "expected two hexadecimal digits in quotes")
            return nil
        }
        return bytes[0]
    }

    /// Pairs of hexadecimal digits, with blanks between them or without.
    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.filter { $0 != " " }
        return digits.utf8.count <= 64 ? [UInt8](hexadecimal: digits) : nil
    }

    // MARK: - What the answer means

    private mutating func field(_ entry: CustomTable) -> Field? {
        guard let text = self.customText(entry, .formula) else {
            self.reportMissing(entry, .formula, "say how the value is made of the bytes, as in formula = \"A*256+B\"")
            return nil
        }
        let unit = self.customText(entry, .unit)
        let lowest = self.number(entry, .min) ?? -.infinity
        let highest = self.number(entry, .max) ?? .infinity
        let labels = self.labels(entry)
        guard lowest < highest else {
            self.report(entry.path(.max), "must be more than min")
            return nil
        }
        if let unit, unit.utf8.count > 24 { self.report(entry.path(.unit), "at most 24 bytes") }
        do {
            let formula = try Formula(text)
            return Field(custom: entry.name, formula, symbol: unit, range: lowest...highest, labels: labels)
        } catch {
            self.report(entry.path(.formula), error.description)
            return nil
        }
    }

    private mutating func labels(_ entry: CustomTable) -> [Int: String] {
        guard let value = entry[.labels] else { return [:] }
        guard let table = value.table, table.entries.count <= 256 else {
            self.report(entry.path(.labels), "expected at most 256 meanings, as in { 0 = \"off\", 1 = \"on\" }")
            return [:]
        }
        var labels: [Int: String] = [:]
        for label in table.entries {
            guard let number = Int(label.name), case .text(let text) = label.value, text.utf8.count <= 64 else {
                self.report(
                    entry.path(.labels),
                    "expected numbers with texts of at most 64 bytes, as in { 0 = \"off\" }"
                )
                continue
            }
            labels[number] = text
        }
        return labels
    }

    // MARK: - Values

    private mutating func customText(_ entry: CustomTable, _ key: CustomKey) -> String? {
        switch entry[key] {
        case nil, .text(""): return nil
        case .text(let text): return text
        case .some(let value):
            self.report(entry.path(key), "expected a text in quotes, found \(value)")
            return nil
        }
    }

    private mutating func customFlag(_ entry: CustomTable, _ key: CustomKey) -> Bool? {
        switch entry[key] {
        case nil: return nil
        case .flag(let flag): return flag
        case .some(let value):
            self.report(entry.path(key), "expected true or false, found \(value)")
            return nil
        }
    }

    private mutating func number(_ entry: CustomTable, _ key: CustomKey) -> Double? {
        switch entry[key] {
        case nil: return nil
        case .integer(let value): return Double(value)
        case .number(let value) where value.isFinite: return value
        case .some(let value):
            self.report(entry.path(key), "expected a number, found \(value)")
            return nil
        }
    }

    private mutating func reportMissing(_ entry: CustomTable, _ key: CustomKey, _ advice: String) {
        guard entry[key] == nil || entry[key] == .text("") else { return }
        self.report([Section.custom.rawValue, entry.name], "\(key.rawValue) is missing; \(advice)")
    }

    private static func customPath(_ name: String, _ key: CustomKey? = nil) -> [String] {
        [Section.custom.rawValue, name] + (key.map { [$0.rawValue] } ?? [])
    }
}

/// One table `[custom.NAME]`.
private struct CustomTable {
    let name: String
    let keys: Table

    subscript(key: CustomKey) -> TOML.Value? {
        self.keys[key.rawValue]?.value
    }

    func path(_ key: CustomKey) -> [String] {
        [Section.custom.rawValue, self.name, key.rawValue]
    }
}
