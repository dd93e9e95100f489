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
    private var navigation = Navigation()
    /// Whether anything was heard of the vehicle.
    package private(set) var silence = SilenceWatch()
    /// The rows as they are on the terminal; nil if they are unknown.
    private var displayedRows: [String]?
    private var lastFrameTime = MonotonicTime.zero
    private var isDirty = true

    /// - Parameters:
    ///   - topics: the topics of the fleet.
    ///   - vehicle: the topic level of the vehicle.
    ///   - source: the source of the messages.
    ///   - size: the size of the terminal.
    ///   - isColored: whether colors are used.
    package init(
        _ topics: FleetTopics,
        vehicle: String,
        from source: LiveSource = .broker(""),
        size: Size,
        isColored: Bool
    ) {
        self.topics = topics
        self.view = VehicleView(name: vehicle, from: source)
        self.size = size
        self.isColored = isColored
        self.silenceWords =
            SilenceWatch.words("\(topics.prefix)/\(vehicle)/…") + " Try: \(SilenceWatch.nextStep)"
    }

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
        let surroundings = Navigation.Surroundings(
            names: self.view.others,
            hasOverview: Screen.hasOverview(self.size),
            isImperial: self.view.isImperial
        )
        switch self.navigation.press(key, in: surroundings) {
        case .none: break
        case .redraw: self.redraw()
        case .quit: return .quit
        }
        return .none
    }

    /// Draws every row with the next frame, because another program has written on the screen.
    package mutating func redraw() {
        (self.isDirty, self.lastFrameTime) = (true, .zero)
        self.displayedRows = nil
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
        let drawing = self.drawing(at: ViewerTime(now, time))
        self.navigation.drew(drawing.extent)
        let rows = drawing.lines.map { line in
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
        self.drawing(at: now).lines.map { $0.rendered(inColor: self.isColored) }
    }

    private func drawing(at now: ViewerTime) -> Screen.Drawing {
        let isSilent = self.silence.isSuspicious(at: now.monotonic)
        let screen = Screen(
            view: self.view,
            size: self.size,
            now: now,
            navigation: self.navigation,
            silence: isSilent ? self.silenceWords : nil
        )
        var drawing = screen.draw()
        drawing.lines = drawing.lines.map { $0.cut(to: self.size.columns) }
        return drawing
    }
}
