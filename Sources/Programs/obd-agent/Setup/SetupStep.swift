// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A change of this machine that `setup` makes.
enum SetupStep: Hashable, Sendable {
    /// Makes a folder with this mode, unless it exists.
    case makeFolder(String, mode: UInt32)
    /// Writes a file as a whole.
    case write(SetupFile)
    /// Makes a symbolic link, unless something has its name.
    case link(String, to: String)
    /// Runs a program; its standard input may have a secret, which is shown nowhere.
    case run([String], input: String? = nil)

    /// The step in words, without secrets.
    var lines: [String] {
        switch self {
        case .makeFolder(let path, let mode): ["make folder  \(path), mode \(String(mode, radix: 8))"]
        case .write(let file):
            (file.copy.map { ["keep copy    \($0)"] } ?? [])
                + ["write        \(file.path), mode \(file.isReplaced ? "as it is" : String(file.mode, radix: 8))"]
                + file.shown.map { "                 \($0)" }
        case .link(let path, let target): ["link         \(path) -> \(target)"]
        case .run(let words, _): ["run          \(words.joined(separator: " "))"]
        }
    }
}

/// A file that `setup` writes.
struct SetupFile: Hashable, Sendable {
    var path: String
    var text: String
    var mode: UInt32 = 0o644
    /// The name under which the present file stays; nil if there is none.
    var copy: String?
    /// The lines that the user sees of it.
    var shown: [String] = []

    /// Whether there is a file, whose mode and owner the new one takes.
    var isReplaced: Bool { self.copy != nil }
}
