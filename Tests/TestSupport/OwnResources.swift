// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The resources of this process.
package struct OwnResources: Hashable, Sendable, CustomStringConvertible {
    package let descriptors: Int
    /// The number of threads, without those of Swift's pool, which vary at any time.
    package let threads: Int

    /// Returns the present resources, after the first use of Swift's clock, which allocates some.
    package static func settled() async throws -> OwnResources {
        try await Task.sleep(for: .milliseconds(1))
        return Self.now
    }

    /// The present resources.
    package static var now: OwnResources {
        let threads = entries(of: "/proc/self/task").filter {
            !firstLine(of: "/proc/self/task/\($0)/comm").contains("qos")
        }
        return OwnResources(descriptors: entries(of: "/proc/self/fd").count, threads: threads.count)
    }

    package var description: String { "\(self.descriptors) descriptors, \(self.threads) threads" }

    /// Waits until other threads have released all resources beyond `limit`; throws after a minute.
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

/// Returns the first line of a file; empty if the file does not exist.
private func firstLine(of path: String) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}

/// Polls `condition` until it holds; throws ``DeadlineExceeded`` after a minute.
package func eventually(_ what: String, _ condition: @escaping @Sendable () async throws -> Bool) async throws {
    try await within(what) {
        while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }
}
