// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop

/// The versions of the agent's package that apt on this machine knows.
///
/// The service may execute no program, so it reads apt's lists itself. They are as old as the last `apt update`.
struct PackageLists: Hashable, Sendable {
    /// The name of the package.
    private static let package = "obd-agent"
    /// The largest list that is read: an owner's own repository has a few packages, a distribution tens of thousands.
    private static let sizeLimit = 1 << 20
    private static let listLimit = 32
    private static let versionLimit = 50

    /// The versions in the lists, in their order.
    var available: [String] = []
    /// The versions that apt must not install again, because an upgrade to them was rolled back.
    var rolledBack: [String] = []

    /// The member `package` of the result of `describe`.
    var json: JSON {
        [
            "available": .array(self.available.map { .string($0) }),
            "rolled_back": .array(self.rolledBack.map { .string($0) }),
        ]
    }

    /// Reads the lists and the preferences of this machine.
    static func present(
        lists: String = "/var/lib/apt/lists",
        preferences: String = "/etc/apt/preferences.d/obd-agent"
    ) -> PackageLists {
        var found = PackageLists()
        // Compressed lists have other names, and are not read.
        let names = (TextFile.names(in: lists) ?? []).filter { $0.hasSuffix("_Packages") }
        for name in names.prefix(Self.listLimit) {
            let path = "\(lists)/\(name)"
            guard let size = FileStamp(of: path)?.size, size <= Self.sizeLimit,
                let bytes = TextFile.bytes(of: path, limit: Self.sizeLimit)
            else { continue }
            found.add(list: bytes)
        }
        if let pins = TextFile.read(preferences) { found.add(preferences: pins) }
        return found
    }

    /// Adds the versions of a list of packages (deb822: stanzas of `Field: value` lines).
    mutating func add(list: [UInt8]) {
        var isOwn = false
        var version: String?
        for line in list.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) + [[]] {
            if line.isEmpty {
                if isOwn, let version { Self.insert(version, into: &self.available) }
                (isOwn, version) = (false, nil)
            } else if let name = Self.value(of: "Package: ", in: line) {
                isOwn = name == Self.package
            } else if let text = Self.value(of: "Version: ", in: line) {
                version = text
            }
        }
    }

    /// Adds the versions that apt's preferences forbid, as the package's script writes them.
    mutating func add(preferences: String) {
        for line in preferences.split(separator: "\n") {
            guard let version = Self.value(of: "Pin: version ", in: ArraySlice(line.utf8)) else { continue }
            Self.insert(version, into: &self.rolledBack)
        }
    }

    private static func insert(_ version: String, into versions: inout [String]) {
        if versions.count < Self.versionLimit, !versions.contains(version) { versions.append(version) }
    }

    /// Returns what a line has after its beginning; nil if it begins otherwise, or has no usable rest.
    private static func value(of beginning: String, in line: ArraySlice<UInt8>) -> String? {
        guard line.starts(with: beginning.utf8) else { return nil }
        let rest = line.dropFirst(beginning.utf8.count)
        guard (1...128).contains(rest.count), rest.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        return String(decoding: rest, as: UTF8.self)
    }
}
