// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import OBD2
import SignalSets

/// What the owner of a vehicle found written about its manufacturer's data.
extension Fuzzer {
    /// Services that change nothing in a vehicle.
    private static let reading: Set<UInt8> = [0x01, 0x02, 0x05, 0x06, 0x09, 0x0A, 0x19, 0x21, 0x22]

    /// A formula, and after the end of its line the data that it is for.
    static func formulas(_ input: [UInt8]) {
        let parts = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(decoding: parts[0], as: UTF8.self)
        let data = parts.count > 1 ? Array(parts[1]) : []
        guard let formula = try? Formula(text) else { return }
        let value = formula.evaluate(data.span)
        precondition(value?.isFinite ?? true, "\(text) is \(String(describing: value))")
        precondition(value == nil || formula.byteCount <= data.count, "\(text) of too few bytes")
        // What lies behind the bytes that it names changes nothing, and neither do brackets around all of it.
        let named = Array(data.prefix(formula.byteCount))
        precondition(formula.evaluate(named.span) == value, "\(text) of fewer bytes")
        if let inBrackets = try? Formula("(\(text))") {
            precondition(inBrackets.evaluate(data.span) == value, "(\(text)) is something else")
        }
        if let negative = try? Formula("-(\(text))") {
            precondition(negative.evaluate(data.span) == value.map { -$0 }, "-(\(text)) is something else")
        }
    }

    /// A signal set: what is taken of it is a configuration that asks reading services only.
    static func signalSets(_ input: [UInt8]) {
        for year in [nil, 2023] {
            guard let set = try? SignalSetImport(input, year: year) else { return }
            let toml = set.toml(source: "set.json", isSelected: true)
            let file = SourceFile(name: "set.toml", bytes: Array(toml.utf8))
            let text = "[mqtt]\nurl = \"mqtt://localhost\"\n[parameters]\nsets = [\"/set.toml\"]\n"
            do {
                let configuration = try Configuration(toml: Array(text.utf8), file: "agent.toml") { _ in [file] }
                precondition(configuration.custom.map(\.name) == set.imported.map(\.name).sorted(), toml)
                for parameter in configuration.custom { Self.check(parameter) }
            } catch {
                preconditionFailure("\(error)\n\(toml)")
            }
        }
    }

    private static func check(_ parameter: CustomParameter) {
        let head = parameter.request.payload.prefix(1).map { $0 | 0x40 } + parameter.request.echo
        precondition(reading.contains(parameter.request.payload.first ?? 0), "\(parameter.request)")
        for byte: UInt8 in [0x00, 0x5A, 0xFF] {
            let message = head + [UInt8](repeating: byte, count: 702)
            guard case .number(let number) = parameter.decode(message)?.value else { continue }
            precondition(parameter.field.rangeOfValues.contains(number), "\(parameter.name) is \(number)")
        }
    }
}
