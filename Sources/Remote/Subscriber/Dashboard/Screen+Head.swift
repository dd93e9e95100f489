// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

extension Screen {
    /// The name and the model of the vehicle with the time of day, the four lamps, and the problem of the agent.
    var head: [StyledLine] {
        let picture = self.view.picture
        let time = self.isNarrow ? "" : "  \(self.now.date.description.dropFirst(11).prefix(8)) UTC"
        var line = StyledLine(Printable.text(picture.name), .bold)
        let units = self.navigation.units.map { $0 == .imperial ? "imperial units" : "metric units" }
        let facts = [self.vin, self.model, picture.isSimulated ? "simulated" : nil, self.sourceWords, units]
        for words in facts.compactMap(\.self)
        where !self.isNarrow && line.width + Cells.width(words) + 2 <= self.size.columns - Cells.width(time) {
            line.add("  \(words)", .dim)
        }
        line = line.cut(to: max(8, self.size.columns - Cells.width(time)))
        line.tab(self.size.columns - Cells.width(time))
        line.add(time, .dim)
        let problem = picture.availability == .online ? picture.problem : nil
        return [line] + self.lampLines
            + (problem.map { [StyledLine(Printable.text($0), self.lamps.agent.light == .good ? .attention : .faded)] }
                ?? [])
    }

    /// The source of the messages; nil for a broker without a name.
    private var sourceWords: String? {
        switch self.view.source {
        case .agent: "from this machine's agent"
        case .broker(let host): host.isEmpty ? nil : "from \(Printable.text(host.prefix(bytes: 64)))"
        }
    }

    /// The VIN; nil if the vehicle has that name.
    private var vin: String? {
        self.view.picture.vin.flatMap { $0 == self.view.picture.name ? nil : Printable.text($0.prefix(bytes: 32)) }
    }

    /// The model of the detected signal set, or else the make of the VIN.
    private var model: String? {
        let (vehicle, vin) = (self.view.picture.vehicle, self.view.picture.vin.flatMap(VIN.init))
        if let name = vehicle["signal_set"]["name"].string {
            let year = vehicle["signal_set"]["year"].count.map { " \($0)" } ?? ""
            return Printable.text(name.prefix(bytes: 60)) + year
        }
        return vin.flatMap { $0.makes.isEmpty ? nil : $0.makes.joined(separator: ", ") }
    }

    private var lampLines: [StyledLine] {
        var (lines, line) = ([StyledLine](), StyledLine())
        for lamp in self.lamps.all {
            let style: TextStyle =
                switch lamp.light {
                case .good: .good
                case .attention: .attention
                case .out, .absent: .faded
                }
            // A narrow screen has room for the words that matter only.
            let isPlain = self.isNarrow ? lamp.light != .attention : lamp.light == .good && lamp.name == "broker"
            let words = isPlain ? lamp.name : "\(lamp.name) \(lamp.state)"
            let text = "\(lamp.light == .good ? "●" : "○") \(words)"
            let gap = line.width == 0 ? 0 : self.isNarrow ? 2 : 3
            if line.width + gap + Cells.width(text) > self.size.columns, line.width > 0 {
                lines.append(line)
                line = StyledLine()
            } else {
                line.tab(line.width + gap)
            }
            line.add(text, style)
        }
        return lines + [line]
    }
}
