// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The dashboard of a vehicle on a terminal: messages, keys and sizes in, the text to write out.
///
/// The caller owns the terminal and the clock. Only changed lines are written, at most once in ``frameInterval``.
package struct Dashboard: Sendable {
    /// The displayed topics.
    package static let paths = WatchLog.paths + ["vehicle"]
    /// The least time between two frames.
    package static let frameInterval = Duration.milliseconds(200)
    /// The time after which the ages on the screen are written again.
    private static let ageInterval = Duration.seconds(1)

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
    private let isColored: Bool
    /// The words and the next step if nothing is heard.
    private let silenceWords: String
    private var view: VehicleView
    private var size: Size
    private var keys = KeyReader()
    /// The parameters that the user has hidden.
    private var hidden: Set<String> = []
    /// The selected row of the list of parameters; nil while the list is closed.
    private var cursor: Int?
    /// The number of parameters that are scrolled off the top.
    private var offset = 0
    /// Whether the list of the keys is shown.
    private var showsHelp = false
    private var silence = SilenceWatch()
    /// The rows as they are on the terminal; nil if they are unknown.
    private var displayedRows: [String]?
    private var lastFrameTime = MonotonicTime.zero
    private var isDirty = true

    /// - Parameters:
    ///   - topics: the topics of the fleet.
    ///   - vehicle: the topic level of the vehicle.
    ///   - size: the size of the terminal.
    ///   - isColored: whether colors are used.
    package init(_ topics: FleetTopics, vehicle: String, size: Size, isColored: Bool) {
        self.topics = topics
        self.view = VehicleView(name: vehicle)
        self.size = size
        self.isColored = isColored
        self.silenceWords =
            SilenceWatch.words("\(topics.prefix)/\(vehicle)/…") + " Try: \(SilenceWatch.nextStep)"
    }

    /// Whether any message of the vehicle has arrived.
    package var hasHeard: Bool { self.silence.hasHeard }

    /// Takes a message, which arrives now.
    package mutating func receive(_ message: Message, at now: MonotonicTime) {
        guard let (vehicle, path) = self.topics.split(message.topic), vehicle == self.view.picture.name else { return }
        self.silence.messageReceived()
        self.view.receive(path, message.payload, .init(time: now, isRetained: message.retain))
        self.isDirty = true
    }

    /// The broker granted the subscription.
    package mutating func connected(at now: MonotonicTime) {
        self.view.connected()
        self.silence.subscribed(at: now)
        self.isDirty = true
    }

    /// The connection to the broker is lost: from now on no value is live.
    package mutating func connectionLost(_ reason: String, at now: MonotonicTime) {
        self.view.connectionLost(reason, at: now)
        self.silence.connectionLost()
        (self.isDirty, self.lastFrameTime) = (true, .zero)
    }

    /// Sets the size of the terminal.
    package mutating func resize(_ size: Size) {
        guard size != self.size else { return }
        self.size = size
        self.displayedRows = nil
        self.isDirty = true
        self.lastFrameTime = .zero
    }

    /// The action after typed bytes.
    package enum TypeAction: Hashable, Sendable {
        case none, quit
    }

    /// Takes typed bytes.
    ///
    /// Empty bytes mean that the user paused.
    package mutating func type(_ bytes: [UInt8]) -> TypeAction {
        for key in bytes.isEmpty ? self.keys.inputPaused() : self.keys.read(bytes) {
            if self.press(key) == .quit { return .quit }
        }
        return .none
    }

    private mutating func press(_ key: KeyPress) -> TypeAction {
        // The effect of a key is shown at once.
        (self.isDirty, self.lastFrameTime) = (true, .zero)
        let others = self.view.others
        switch (key, self.cursor) {
        case (.character("q"), _): return .quit
        case (.character("?"), _): self.showsHelp.toggle()
        case (_, _) where self.showsHelp: self.showsHelp = false
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
        case (.character("l"), _): self.displayedRows = nil
        default: break
        }
        return .none
    }

    /// Returns the text to write now; empty if nothing has changed.
    ///
    /// - Parameters:
    ///   - now: the present time.
    ///   - time: the same, by the clock of this machine.
    package mutating func frame(at now: MonotonicTime, time: Timestamp) -> String {
        let pause = self.isDirty ? Self.frameInterval : Self.ageInterval
        guard self.lastFrameTime == .zero || now - self.lastFrameTime >= pause else { return "" }
        (self.isDirty, self.lastFrameTime) = (false, now)
        let rows = self.styledLines(at: ViewerTime(now, time)).map { line in
            // In the last column the cursor stays on the last character, which must not be erased.
            line.rendered(inColor: self.isColored) + (line.width < self.size.columns ? "\u{1B}[K" : "")
        }
        let previous = self.displayedRows
        self.displayedRows = rows
        var text = previous == nil ? "\u{1B}[2J" : ""
        for (row, line) in rows.enumerated() where previous.map({ row >= $0.count || $0[row] != line }) ?? true {
            text += "\u{1B}[\(row + 1);1H\(line)"
        }
        return text
    }

    /// Returns the lines of the whole screen.
    func lines(at now: ViewerTime) -> [String] {
        self.styledLines(at: now).map { $0.rendered(inColor: self.isColored) }
    }

    private func styledLines(at now: ViewerTime) -> [StyledLine] {
        let isSilent = self.silence.isSuspicious(at: now.monotonic)
        let screen = Screen(view: self.view, size: self.size, now: now, silence: isSilent ? self.silenceWords : nil)
        let lines =
            if self.showsHelp {
                screen.help
            } else if let cursor {
                screen.chooser(hidden: self.hidden, cursor: cursor)
            } else {
                screen.dashboard(hidden: self.hidden, offset: self.offset)
            }
        return lines.map { $0.cut(to: self.size.columns) }
    }
}
