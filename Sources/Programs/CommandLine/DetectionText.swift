// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import Subscriber

/// The result of a detection as text: the models, the counted answers, and the next step of the user.
package struct DetectionText {
    /// The share of answered requests below which a model does not fit well.
    private static let fittingShare = 0.5

    private let report: JSON
    /// Options of the command that imports the set, such as `--catalog`.
    private let options: [String]
    private let folder: String
    private let remark: String?

    /// - Parameters:
    ///   - report: the members of the result of `detect_parameters`.
    ///   - options: further words of the command that imports a model's set.
    ///   - folder: the folder of the imported file, with a slash behind it; empty for the present one.
    ///   - remark: a sentence about the command that imports a model's set; nil for none.
    package init(_ report: JSON, options: [String] = [], folder: String = "", remark: String? = nil) {
        (self.report, self.options, self.folder, self.remark) = (report, options, folder, remark)
    }

    package var lines: [String] {
        let models = self.report["models"].elements
        var table = TextTable()
        table.append(["model", "answered", "asked", "share"])
        for model in models {
            let share = model["share"].double.map { "\(Int(($0 * 100).rounded())) %" } ?? ""
            table.append([model["model"].shown, model["answered"].shown, model["asked"].shown, share])
        }
        return table.lines + ["", self.counts] + self.verdict(on: models)
    }

    private var counts: String {
        let counts = ["asked", "answered", "refused", "silent"].map { Int(clamping: self.report[$0].count ?? 0) }
        let unclear = counts[0] - counts.dropFirst().reduce(0, +)
        return "\(counts[0].counted("request")): \(counts[1]) answered, \(counts[2]) refused, "
            + "\(counts[3]) without an answer" + (unclear > 0 ? ", \(unclear) unclear" : "")
    }

    private func verdict(on models: [JSON]) -> [String] {
        guard let first = models.first else { return [] }
        let names = self.report["best"].elements.compactMap(\.string)
        let polled = self.report["signal_set"].string
        let fits = first["share"].double ?? 0 >= Self.fittingShare
        var lines: [String] = []
        if !fits { lines.append("No model fits well: the vehicle answers less than half of the requests of each.") }
        if names.count > 1 {
            lines.append("\(names.count) models fit equally well: \(names.joined(separator: ", ")).")
        }
        if let polled {
            lines.append("The agent polls the signal set of \(polled): its [parameters] sets is \"detect\".")
        }
        // The agent has chosen this set, or found no better one than that of an earlier detection.
        guard polled == nil || names.count > 1 || !fits else { return lines }
        let next = polled == nil ? "Next" : "For another set"
        return lines + ["\(next)\(names.count > 1 ? ", for the right one of them" : ""):"]
            + names.map { "  " + self.command(for: $0) } + [self.remark].compactMap(\.self)
    }

    private func command(for model: String) -> String {
        let year = self.report["year"].count.map { ["--year", "\($0)"] } ?? []
        let name = String(model.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        let words = ["--model", model] + year + self.options + ["--output", "\(self.folder)\(name).toml"]
        return "obd-agent parameters import " + words.map(\.shellWord).joined(separator: " ")
    }
}
