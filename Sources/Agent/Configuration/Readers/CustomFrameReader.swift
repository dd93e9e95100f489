// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import TOML

/// Reads the keys of a table `[custom.NAME]` that describe the frames with the value.
enum CustomFrameReader {
    private static let requestKeys: [CustomKey] = [
        .request, .header, .receive, .extendedAddress, .testerAddress, .flowControl, .timeout,
    ]

    static func read(_ table: CustomTable, _ cursor: inout ConfigurationCursor) -> FrameSource? {
        for key in Self.requestKeys where cursor.isSet(table.path(key)) {
            cursor.report(table.path(key), "has no effect beside frame: nothing is requested")
        }
        let path = table.path(.frame)
        guard let text = cursor.text(at: path) else { return nil }
        let header = Destination.Header(text)
        guard let header, let frame = FrameSource(header) else {
            cursor.report(path, "expected a CAN identifier: 3 hexadecimal digits (11 bits) or 8 (29 bits)")
            return nil
        }
        if frame.isDiagnostic {
            cursor.report(path, "\(header) has requests and replies, which take turns. Try: request in place of frame")
        }
        return FrameSource(header, multiplex: Self.multiplex(table, &cursor))
    }

    private static func multiplex(
        _ table: CustomTable,
        _ cursor: inout ConfigurationCursor
    ) -> FrameSource.Multiplex? {
        let text = cursor.text(at: table.path(.multiplexor))
        let value = cursor.value(at: table.path(.multiplexValue))
        guard let text else {
            if value != nil { cursor.report(table.path(.multiplexValue), "has no effect without multiplexor") }
            return nil
        }
        guard let value, case .integer(let number) = value else {
            cursor.report(
                table.path(value == nil ? .multiplexor : .multiplexValue),
                "expected the integer multiplex_value that the multiplexor has in the frames with this value"
            )
            return nil
        }
        do throws(FormulaError) {
            return FrameSource.Multiplex(try Formula(text), is: Int(number))
        } catch {
            cursor.report(table.path(.multiplexor), error.description)
            return nil
        }
    }

    /// Reports the keys that have no effect without `frame`.
    static func reportUseless(in table: CustomTable, _ cursor: inout ConfigurationCursor) {
        for key in [CustomKey.multiplexor, .multiplexValue] where cursor.isSet(table.path(key)) {
            cursor.report(table.path(key), "has no effect without frame")
        }
    }
}
