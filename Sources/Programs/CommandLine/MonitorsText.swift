// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import OBD2
import Subscriber

/// The payload of `monitors` as text.
package struct MonitorsText {
    private let report: JSON

    package init(_ report: JSON) {
        self.report = report
    }

    package var lines: [String] {
        let report = self.report
        var lines = [
            "Warning lamp  \(report["mil"].bool.map { $0 ? "on" : "off" } ?? "unknown")",
            "Codes         \(report["code_count"].shown)",
        ]
        if let ignition = report["ignition"].string { lines.append("Ignition      \(ignition)") }
        lines.append("")
        var readiness = TextTable()
        readiness.append(["monitor", "since clear", "this cycle"])
        for monitor in Monitor.allCases {
            guard let state = report["monitors"][monitor.rawValue].string else { continue }
            readiness.append([monitor.rawValue, state, report["cycle"]["monitors"][monitor.rawValue].string ?? ""])
        }
        lines += readiness.lines
        guard report["tests"] != .null else { return lines }
        lines.append("")
        for (ecu, state) in report["tests"]["ecus"].members {
            switch state.string.flatMap(TestsReport.State.init) {
            case .read: break
            case .notSupported: lines.append("\(ecu) supports no tests.")
            case .incomplete: lines.append("\(ecu): some tests are unknown: they could not be read.")
            case .unread, nil: lines.append("\(ecu): the tests are unknown: they could not be read.")
            }
        }
        var results = TextTable()
        for result in report["tests"]["results"].elements { results.append(Self.row(result)) }
        return lines + results.lines
    }

    private static func row(_ result: JSON) -> [String] {
        func text(_ value: JSON) -> String { value.double.map { DecodedValue.number($0).text } ?? "" }
        let unit = result["unit"].string.map { " \($0)" } ?? ""
        let (minimum, maximum) = (result["minimum"], result["maximum"])
        let limits = minimum == .null && maximum == .null ? "" : "(\(text(minimum)) … \(text(maximum)))"
        let component = result["component"].count.map { "component \($0)" }
        let id = [result["monitor"].string, result["test"].string, component].compactMap(\.self)
        return [
            result["ecu"].shown, result["service"].shown, id.joined(separator: " "), result["verdict"].string ?? "",
            result["value"] == .null ? "" : text(result["value"]) + unit, limits,
            [result["subject"].string, result["quantity"].string].compactMap(\.self).joined(separator: ", "),
        ]
    }
}
