// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension Screen {
    /// The largest number of lines of a finding.
    private static let findingLines = 6

    /// The warning lamp, and each code with its meaning, its ECUs and states, and whether there is a freeze frame.
    ///
    /// They are colored only while the vehicle is read.
    var codes: [StyledLine] {
        let picture = self.view.picture
        let isPresent = self.lamps.areLit
        var line = StyledLine("Lamp")
        line.tab(self.labelWidth)
        line.add(
            picture.mil.map { $0 ? "● on" : "○ off" } ?? "unknown",
            isPresent ? picture.mil.map { $0 ? .danger : .good } ?? .dim : .faded
        )
        guard picture.codeCount != nil else {
            line.add("   codes unknown", .dim)
            return [line]
        }
        let codes = CodeView.list(picture.codes)
        line.add(codes.isEmpty ? "   no codes" : "   \(codes.count) \(codes.count == 1 ? "code" : "codes")", .dim)
        if !isPresent {
            line.add("   last known, \(self.age(picture.codes["time"].time, isCertain: self.isCertain))", .faded)
        }
        let limit = max(1, self.size.rows / 4)
        var lines = [line]
        for code in codes.prefix(limit) {
            let style: TextStyle = !isPresent ? .faded : code.isConfirmed ? .danger : .attention
            let frame = code.hasFreezeFrame ? ["freeze frame"] : []
            let details = (code.ecus + frame).map { (text: $0, style: isPresent ? TextStyle.dim : .faded) }
            lines += self.flow(
                (code.code, style),
                [(Cells.cut(code.meaning, to: self.width - self.labelWidth), isPresent ? .plain : .faded)] + details
            )
        }
        if codes.count > limit { lines.append(StyledLine("and \(codes.count - limit) more", .dim)) }
        return lines
    }

    /// The newest finding of a specialist: its severity, its age, its author, the text.
    var finding: [StyledLine] {
        guard let finding = self.view.finding else { return [] }
        let style: TextStyle =
            switch finding.severity {
            case "urgent": .danger
            case "attention": .attention
            default: .plain
            }
        let head = self.flow(
            ("Finding", .plain),
            [
                (finding.severity, style), (self.age(finding.time, isCertain: self.isCertain), .dim),
                (finding.author.map { "by \($0)" } ?? "not signed", .dim),
                (finding.codes.joined(separator: ", "), .dim),
            ]
        )
        let text = finding.paragraphs.flatMap { Cells.wrap($0, to: max(1, self.width - self.labelWidth)) }
        let lines = text.prefix(Self.findingLines).enumerated().map { index, words in
            var line = StyledLine()
            line.tab(self.labelWidth)
            line.add(words + (index == Self.findingLines - 1 && text.count > Self.findingLines ? " …" : ""))
            return line
        }
        return head + lines
    }

    /// Whether the agent's clock is set.
    var isCertain: Bool { self.view.picture.isClockSet != false }

    /// Returns the age of a time in words.
    func age(_ time: Timestamp?, isCertain: Bool) -> String {
        isCertain ? time?.age(at: self.now.date) ?? Timestamp.unknownText : Timestamp.unknownText
    }
}
