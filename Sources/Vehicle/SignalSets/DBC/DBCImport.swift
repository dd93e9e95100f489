// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import OBD2

/// The signals of a DBC file that this agent can receive from a CAN interface.
package struct DBCImport: Sendable {
    /// A signal as a table `[custom.NAME]` of the configuration.
    package struct Entry: Sendable {
        package let name: String
        /// The name of the frame in the file.
        package let frameName: String
        package let frame: FrameSource
        let signal: DBCSignal

        /// The formula of the value, in the syntax of ``OBD2/Formula``.
        package let formula: String

        /// The unit's symbol; nil for a signal without a unit.
        package var unit: String? { self.signal.symbol }
    }

    /// The seconds between two values of a selected signal.
    package static let interval = 1

    /// The imported signals, in the order of the file.
    package private(set) var imported: [Entry] = []
    package private(set) var skipped: [SignalSetImport.Skipped] = []
    /// The wanted frames that the file does not have.
    package let missing: [String]
    /// The names of all frames of the file.
    package let frameNames: [String]

    /// Whether bytes look like those of a DBC file, rather than like JSON.
    package static func isDBC(_ bytes: [UInt8]) -> Bool {
        let first = bytes.first { !" \t\r\n".utf8.contains($0) && ![0xEF, 0xBB, 0xBF].contains($0) }
        return first != UInt8(ascii: "{") && first != UInt8(ascii: "[")
    }

    /// Reads a file.
    ///
    /// - Parameter wanted: the frames to take, by name or by identifier in hexadecimal digits; empty takes all.
    package init(_ bytes: [UInt8], frames wanted: [String] = []) throws(SignalSetError) {
        guard bytes.count <= SignalSetImport.sizeLimit else { throw .tooLarge(limit: SignalSetImport.sizeLimit) }
        let file = try DBCFile(bytes)
        self.frameNames = file.frames.map(\.name)
        self.missing = wanted.filter { word in !file.frames.contains { $0.isNamed(word) } }
        let frames = file.frames.filter { frame in wanted.isEmpty || wanted.contains(where: frame.isNamed) }
        guard frames.reduce(0, { $0 + $1.signals.count }) <= SignalSetImport.signalLimit else {
            throw .tooMany(limit: SignalSetImport.signalLimit)
        }
        let plain = frames.flatMap { $0.signals.map { Self.spelled($0.name) } }
        var names = SignalNames(plain)
        for frame in frames {
            for signal in frame.signals {
                do throws(SignalRefusal) {
                    let (source, formula) = try Self.source(of: signal, in: frame)
                    self.imported.append(
                        Entry(
                            name: try Self.name(of: signal, in: frame, &names),
                            frameName: frame.name,
                            frame: source,
                            signal: signal,
                            formula: formula
                        )
                    )
                } catch {
                    let name = "\(frame.name).\(signal.name)".prefix(bytes: 64)
                    self.skipped.append(.init(name: name, reason: error.reason, cause: error.cause))
                }
            }
        }
    }

    // MARK: - Signals

    private static func source(
        of signal: DBCSignal,
        in frame: DBCFile.Frame
    ) throws(SignalRefusal) -> (FrameSource, String) {
        guard frame.isSent else { throw SignalRefusal(.frame, "no node sends it") }
        guard frame.length <= 8 else {
            throw SignalRefusal(.frame, "its frame is one of CAN FD, with \(frame.length) bytes")
        }
        if signal.isFloat { throw SignalRefusal(.format, "it is a floating-point number") }
        guard signal.factor != 0 else { throw SignalRefusal(.format, "its factor is 0, so its value never changes") }
        guard let formula = signal.formula, (try? Formula(formula)) != nil else {
            throw SignalRefusal(
                .format,
                "its \(signal.length) bits at bit \(signal.start) cannot be written as a formula"
            )
        }
        guard frame.isExtended || frame.identifier <= 0x7FF else {
            throw SignalRefusal(.frame, "the identifier of its frame has more than 11 bits, without the mark of 29")
        }
        let header = frame.isExtended ? Destination.Header.can29(frame.identifier) : .can11(UInt16(frame.identifier))
        guard let source = FrameSource(header, multiplex: try Self.multiplex(of: signal, in: frame)),
            !source.isDiagnostic
        else { throw SignalRefusal(.frame, "its frame has requests or replies of diagnostics") }
        return (source, formula)
    }

    private static func multiplex(
        of signal: DBCSignal,
        in frame: DBCFile.Frame
    ) throws(SignalRefusal) -> FrameSource.Multiplex? {
        switch signal.multiplex {
        case .none, .multiplexor: return nil
        case .extended, .nested: throw SignalRefusal(.frame, "it is in frames with several numbers of a multiplexor")
        case .value(let value):
            guard let number = frame.signals.first(where: { $0.multiplex == .multiplexor }),
                let formula = number.rawFormula, let multiplexor = try? Formula(formula)
            else { throw SignalRefusal(.frame, "its frame has no multiplexor M") }
            // Where there is a second number, the file has to tell to which one the value belongs.
            let isNested = frame.signals.contains { $0.multiplex == .nested }
            guard signal.multiplexor.map({ $0 == number.name }) ?? !isNested else {
                throw SignalRefusal(.frame, "it is in frames with several numbers of a multiplexor")
            }
            return FrameSource.Multiplex(multiplexor, is: value)
        }
    }

    /// Returns the name of a signal; one that the catalog has gets that of its frame before it.
    private static func name(
        of signal: DBCSignal,
        in frame: DBCFile.Frame,
        _ names: inout SignalNames
    ) throws(SignalRefusal) -> String {
        do {
            return try names.next(for: Self.spelled(signal.name))
        } catch {
            guard error.cause == .catalogue else { throw error }
            return try names.next(for: "\(Self.spelled(frame.name))_\(Self.spelled(signal.name))")
        }
    }

    /// Returns `engine_speed` for `EngineSpeed`.
    private static func spelled(_ name: String) -> String {
        var spelled = ""
        var last: Character?
        for character in name {
            if character.isUppercase, let last, last.isLowercase || last.isNumber { spelled.append("_") }
            spelled.append(character)
            last = character
        }
        return spelled
    }
}
