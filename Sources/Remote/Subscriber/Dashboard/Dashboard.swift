// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import Base

/// A vehicle on a terminal: messages, keys and sizes in, what to write out.
///
/// It owns no terminal and no clock. Only lines that have changed are written, and no more often than
/// ``frameInterval``.
package struct Dashboard: Sendable {
    /// The topics that it shows.
    package static let paths = WatchLog.paths + ["vehicle"]
    /// Between two frames.
    package static let frameInterval = Duration.milliseconds(200)

    /// The size of a terminal, in cells.
    package struct Size: Hashable, Sendable {
        package var columns: Int
        package var rows: Int

        package init(columns: Int, rows: Int) {
            self.columns = max(1, min(columns, 1000))
            self.rows = max(1, min(rows, 1000))
        }
    }

    private let topics: FleetTopics
    private let isColoured: Bool
    private var view: VehicleView
    private var size: Size
    private var keys = KeyReader()
    /// What the user has taken away from the sparklines.
    private var hidden: Set<String> = []
    /// Which of the other parameters the list of them is at; nil while that is not shown.
    private var cursor: Int?
    /// How far down the sparklines begin.
    private var offset = 0
    private var notice = ""
    /// What the terminal shows; nil: nobody knows.
    private var shown: [String]?
    private var drawn = MonotonicTime.zero
    private var isDirty = true

    /// - Parameter isColoured: whether the terminal has colours, and its user wants them.
    package init(_ topics: FleetTopics, vehicle: String, size: Size, isColoured: Bool) {
        self.topics = topics
        self.view = VehicleView(name: vehicle)
        self.size = size
        self.isColoured = isColoured
    }

    /// A message came.
    package mutating func receive(_ message: Message) {
        guard let (vehicle, path) = self.topics.split(message.topic), vehicle == self.view.picture.name else { return }
        self.notice = ""
        self.view.receive(path, message.payload)
        self.isDirty = true
    }

    /// Something is to be told that no message tells.
    package mutating func tell(_ notice: String) {
        self.notice = Printable.text(notice.prefix(bytes: 200))
        self.isDirty = true
    }

    /// The terminal has this size now.
    package mutating func resize(_ size: Size) {
        guard size != self.size else { return }
        self.size = size
        self.shown = nil
        self.isDirty = true
        self.drawn = .zero
    }

    package enum TypeAction: Hashable, Sendable {
        case none, quit
    }

    /// Somebody typed; without bytes, nobody has for a while.
    package mutating func type(_ bytes: [UInt8]) -> TypeAction {
        for key in bytes.isEmpty ? self.keys.pause() : self.keys.read(bytes) {
            if self.press(key) == .quit { return .quit }
        }
        return .none
    }

    private mutating func press(_ key: KeyPress) -> TypeAction {
        // What a key does is seen at once.
        (self.isDirty, self.drawn) = (true, .zero)
        let others = self.view.others
        switch (key, self.cursor) {
        case (.character("q"), _): return .quit
        case (.character("p"), nil): self.cursor = others.isEmpty ? nil : 0
        case (.character("p"), _), (.escape, _), (.enter, .some): self.cursor = nil
        case (.up, let cursor?): self.cursor = max(0, cursor - 1)
        case (.down, let cursor?): self.cursor = max(0, min(others.count - 1, cursor + 1))
        case (.pageUp, let cursor?): self.cursor = max(0, cursor - 10)
        case (.pageDown, let cursor?): self.cursor = max(0, min(others.count - 1, cursor + 10))
        case (.space, let cursor?) where others.indices.contains(cursor):
            if self.hidden.remove(others[cursor]) == nil { self.hidden.insert(others[cursor]) }
        case (.up, nil): self.offset = max(0, self.offset - 1)
        case (.down, nil): self.offset = min(max(0, others.count - self.hidden.count - 1), self.offset + 1)
        case (.character("l"), _): self.shown = nil
        default: break
        }
        return .none
    }

    /// What is to be written now; empty where nothing is.
    ///
    /// - Parameter clock: the time for people.
    package mutating func frame(at now: MonotonicTime, clock: String) -> String {
        guard self.isDirty, self.drawn == .zero || now - self.drawn >= Self.frameInterval else { return "" }
        (self.isDirty, self.drawn) = (false, now)
        let lines = self.lines(clock: clock)
        let before = self.shown
        self.shown = lines
        var text = before == nil ? "\u{1B}[2J" : ""
        for (row, line) in lines.enumerated() where before.map({ row >= $0.count || $0[row] != line }) ?? true {
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        return text
    }

    /// The lines of the screen, as many as it has.
    func lines(clock: String) -> [String] {
        let screen = Screen(view: self.view, size: self.size, clock: clock, notice: self.notice)
        let lines =
            self.cursor.map { screen.chooser(hidden: self.hidden, cursor: $0) }
            ?? screen.dashboard(hidden: self.hidden, offset: self.offset)
        return lines.map { $0.cut(to: self.size.columns).rendered(inColour: self.isColoured) }
    }
}
