// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What this process holds at the moment.
package struct OwnResources: Hashable, Sendable, CustomStringConvertible {
    package let descriptors: Int
    /// Without those of Swift's pool, which come and go as they like.
    package let threads: Int

    /// What is held now, with all that Swift's clock holds from its first use on.
    package static func settled() async throws -> OwnResources {
        try await Task.sleep(for: .milliseconds(1))
        return Self.now
    }

    /// What is held now.
    package static var now: OwnResources {
        let threads = entries(of: "/proc/self/task").filter {
            !firstLine(of: "/proc/self/task/\($0)/comm").contains("qos")
        }
        return OwnResources(descriptors: entries(of: "/proc/self/fd").count, threads: threads.count)
    }

    package var description: String { "\(self.descriptors) descriptors, \(self.threads) threads" }

    /// Returns once no more is held than `limit`, for what is given back by other threads; throws after a minute.
    package static func await(atMost limit: OwnResources) async throws {
        try await eventually("no more than \(limit)") {
            let now = Self.now
            return now.descriptors <= limit.descriptors && now.threads <= limit.threads
        }
    }
}

private func entries(of path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
        names.append(
            unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        )
    }
    return names
}

/// Empty where the file is gone.
private func firstLine(of path: String) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}

/// Returns once `condition` holds, which nothing tells; throws ``DeadlineExceeded`` after a minute.
package func eventually(_ what: String, _ condition: @escaping @Sendable () async throws -> Bool) async throws {
    try await within(what) {
        while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }
}
