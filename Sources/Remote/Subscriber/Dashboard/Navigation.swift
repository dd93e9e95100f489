// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The part of the dashboard that the user has chosen, and how far it is scrolled.
struct Navigation: Hashable, Sendable {
    /// The chosen part; nil for all parts side by side.
    private(set) var part: DashboardPart?
    /// The number of lines that are scrolled off the top.
    private(set) var offset = 0
    /// The parameters that the user has hidden.
    private(set) var hidden: Set<String> = []
    /// The selected row of the list of parameters; nil while the list is closed.
    private(set) var cursor: Int?
    /// The number of lines of the list of the keys that are scrolled off the top; nil while it is closed.
    private(set) var help: Int?
    /// The units of the screen; nil for those in which the agent publishes.
    private(set) var units: UnitSystem?
    /// The extent of what was drawn last.
    private var extent = Extent(last: 0, page: 10)

    /// An offset beyond all lines; what is drawn has its own end.
    private static let farthest = 1_000_000

    /// The range in which a part can be scrolled.
    struct Extent: Hashable, Sendable {
        /// The largest offset.
        var last: Int
        /// The number of lines of a page.
        var page: Int
    }

    /// The effect of a key on the program.
    enum Effect: Hashable, Sendable {
        case none, redraw, quit
    }

    /// The state of the screen that decides the effect of a key.
    struct Surroundings {
        /// The listed parameters.
        let names: [String]
        /// Whether the screen has room for all parts side by side.
        let hasOverview: Bool
        /// Whether the agent publishes imperial units.
        let isImperial: Bool
    }

    /// Takes what was drawn, so that no key scrolls beyond its end.
    mutating func drew(_ extent: Extent) {
        self.extent = extent
        if let help {
            self.help = min(help, extent.last)
        } else if self.cursor == nil {
            self.offset = min(self.offset, extent.last)
        }
    }

    /// Takes a pressed key.
    mutating func press(_ key: KeyPress, in surroundings: Surroundings) -> Effect {
        if key == .character("q") { return .quit }
        if key == .character("l") { return .redraw }
        if let help {
            self.help = Self.scrolled(help, key, page: self.extent.page)
        } else if key == .character("?") {
            self.help = 0
        } else if key == .character("u") {
            let isImperial = self.units.map { $0 == .imperial } ?? surroundings.isImperial
            self.units = isImperial ? .metric : .imperial
        } else if let cursor {
            self.select(key, cursor, among: surroundings.names)
        } else if key == .character("p") {
            self.cursor = surroundings.names.isEmpty ? nil : 0
        } else {
            self.move(key, surroundings)
        }
        return .none
    }

    /// Takes a key of the list of parameters.
    private mutating func select(_ key: KeyPress, _ cursor: Int, among names: [String]) {
        let last = max(0, names.count - 1)
        switch key {
        case .up: self.cursor = max(0, cursor - 1)
        case .down: self.cursor = min(last, cursor + 1)
        case .pageUp: self.cursor = max(0, cursor - self.extent.page)
        case .pageDown: self.cursor = min(last, cursor + self.extent.page)
        case .home: self.cursor = 0
        case .end: self.cursor = last
        case .space:
            guard names.indices.contains(cursor) else { return }
            if self.hidden.remove(names[cursor]) == nil { self.hidden.insert(names[cursor]) }
        case .character("a"): self.hidden = []
        case .character("p"), .escape, .enter: self.cursor = nil
        default: break
        }
    }

    /// Takes a key that scrolls, or chooses a part.
    private mutating func move(_ key: KeyPress, _ surroundings: Surroundings) {
        if let offset = Self.scrolled(self.offset, key, page: self.extent.page) {
            self.offset = offset
            return
        }
        switch key {
        case .tab, .right: self.step(1, surroundings)
        case .backTab, .left: self.step(-1, surroundings)
        case .character("0"), .escape: self.show(nil)
        case .character(let character):
            guard let part = character.wholeNumberValue.flatMap(DashboardPart.init) else { return }
            self.show(part)
        default: break
        }
    }

    /// Returns the offset after a key; nil if the key does not scroll.
    private static func scrolled(_ offset: Int, _ key: KeyPress, page: Int) -> Int? {
        let next: Int? =
            switch key {
            case .up: offset - 1
            case .down: offset + 1
            case .pageUp: offset - page
            case .pageDown, .space: offset + page
            case .home: 0
            case .end: Self.farthest
            default: nil
            }
        return next.map { max(0, min($0, Self.farthest)) }
    }

    private mutating func show(_ part: DashboardPart?) {
        if part != self.part { self.offset = 0 }
        self.part = part
    }

    /// Shows the next part, or the one before; all parts together count as one if there is room for them.
    private mutating func step(_ count: Int, _ surroundings: Surroundings) {
        let parts: [DashboardPart?] = (surroundings.hasOverview ? [nil] : []) + DashboardPart.allCases
        let index = parts.firstIndex(of: self.part) ?? 0
        self.show(parts[(index + count + parts.count) % parts.count])
    }
}
