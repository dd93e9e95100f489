// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The warning lamp, the trouble codes and the newest finding.
struct CodesBlock {
    /// The largest number of lines of a finding beside other parts.
    private static let findingLines = 6

    let pane: Pane
    /// Whether the codes have their freeze frames, and the finding its whole text.
    let isDetailed: Bool

    /// Whether the vehicle is read now; codes are colored only then.
    private var isPresent: Bool { self.pane.lamps.areLit }
    private var picture: VehiclePicture { self.pane.view.picture }
    private var plain: TextStyle { self.isPresent ? .plain : .faded }
    private var dim: TextStyle { self.isPresent ? .dim : .faded }

    // MARK: - Codes

    /// The warning lamp and the number of codes, in one line.
    var lamp: StyledLine {
        var line = StyledLine("Lamp")
        line.tab(self.pane.labelWidth)
        line.add(
            self.picture.mil.map { $0 ? "● on" : "○ off" } ?? "unknown",
            self.isPresent ? self.picture.mil.map { $0 ? .danger : .good } ?? .dim : .faded
        )
        guard self.picture.codeCount != nil else {
            line.add("   codes unknown", .dim)
            return line
        }
        let count = CodeView.list(self.picture.codes).count
        line.add(count == 0 ? "   no codes" : "   \(count.counted("code"))", .dim)
        if !self.isPresent {
            let time = self.picture.codes["time"].time
            let age = self.pane.age(time, isCertain: self.pane.isCertain)
            line.add(self.pane.isNarrow ? "   \(age)" : "   last known, \(age)", .faded)
        }
        return line
    }

    /// The lamp, and each code with its meaning, its ECUs and states, and its freeze frames.
    var codes: [StyledLine] {
        let codes = CodeView.list(self.picture.codes)
        let lines = codes.flatMap { self.isDetailed ? [StyledLine()] + self.lines(of: $0) : self.lines(of: $0) }
        return [self.lamp] + lines + (self.isDetailed ? self.unread : [])
    }

    private func lines(of code: CodeView) -> [StyledLine] {
        let style: TextStyle = !self.isPresent ? .faded : code.isConfirmed ? .danger : .attention
        let words = code.ecus + (self.isDetailed || code.frames.isEmpty ? [] : ["freeze frame"])
        let details = words.map { (text: $0, style: self.dim) }
        let meaning = Cells.wrap(code.meaning, to: max(1, self.pane.width - self.pane.labelWidth))
        let shown = self.isDetailed ? meaning : Array(meaning.prefix(1))
        let ellipsis = shown.count < meaning.count ? " …" : ""
        let head = self.pane.flow(
            (code.code, style),
            shown.enumerated().map { index, text in
                let isLast = index == shown.count - 1
                let room = self.pane.width - self.pane.labelWidth
                return (isLast ? Cells.cut(text + ellipsis, to: room) : text, self.plain)
            } + details
        )
        guard self.isDetailed else { return head }
        let facts = [
            code.severity.map { (text: $0, style: self.isPresent ? TextStyle.attention : .faded) },
            code.firstSeen.map {
                ("first seen \(self.pane.age($0, isCertain: self.pane.isCertain))", self.dim)
            },
        ].compactMap(\.self)
        let more = facts.isEmpty ? [] : self.pane.flow(("", .plain), facts)
        return head + more + code.frames.flatMap(self.lines(of:))
    }

    /// The values of a freeze frame, which are of another time and so are never bright.
    private func lines(of frame: FreezeFrameView) -> [StyledLine] {
        let title = self.pane.wrapped("Freeze frame\(frame.ecu.isEmpty ? "" : " of \(frame.ecu)")", self.plain)
        let start = self.pane.labelWidth
        let nameWidth = max(8, min(30, self.pane.width - start - self.pane.valueWidth - 1))
        let values = frame.values.map { entry in
            var line = StyledLine()
            line.tab(start)
            line.add(Cells.cut(entry.title, to: nameWidth - 1), .faded)
            line.tab(start + nameWidth)
            let (text, unit) = entry.value.shown(in: self.pane.units)
            if entry.value.number != nil {
                line.add(self.pane.aligned(text, unit), .faded)
            } else {
                line.add("  " + Cells.cut(text, to: max(1, self.pane.width - line.width - 2)), .faded)
            }
            return line
        }
        let unread =
            frame.unread.isEmpty ? [] : self.pane.wrapped("not read: \(frame.unread.joined(separator: ", "))", .faded)
        return title + values + unread
    }

    /// The lists and the frames that could not be read, so that their absence is no good news.
    private var unread: [StyledLine] {
        let states = self.picture.codes["unread"].elements.prefix(8).compactMap(\.string).map(CodeView.phrase)
        let frames = self.picture.codes["freeze_frames"].members.prefix(16)
            .filter { $0.value["state"] == "unread" }.map { Printable.text($0.key.prefix(bytes: 16)) }
        let words = [
            states.isEmpty
                ? nil : "Not read of every ECU: \(Printable.text(states.joined(separator: ", ").prefix(bytes: 80)))",
            frames.isEmpty ? nil : "Freeze frame not read: \(frames.joined(separator: ", "))",
        ].compactMap(\.self)
        guard !words.isEmpty else { return [] }
        return [StyledLine()] + words.flatMap { Cells.wrap($0, to: self.pane.width).map { StyledLine($0, self.dim) } }
    }

    // MARK: - The finding

    /// The newest finding of a specialist: its severity, its age, its author, the text.
    var finding: [StyledLine] {
        guard let finding = self.pane.view.finding else { return [] }
        let style: TextStyle =
            switch finding.severity {
            case "urgent": .danger
            case "attention": .attention
            default: .plain
            }
        let head = self.pane.flow(
            ("Finding", .plain),
            [
                (finding.severity, style), (self.pane.age(finding.time, isCertain: self.pane.isCertain), .dim),
                (finding.author.map { "by \($0)" } ?? "not signed", .dim),
                (finding.codes.joined(separator: ", "), .dim),
            ]
        )
        let text = finding.paragraphs.flatMap { self.pane.wrapped($0) }
        guard !self.isDetailed, text.count > Self.findingLines else { return head + text }
        var lines = Array(text.prefix(Self.findingLines))
        lines[Self.findingLines - 1] = lines[Self.findingLines - 1].cut(to: max(1, self.pane.width - 2))
        lines[Self.findingLines - 1].add(" …")
        return head + lines
    }
}
