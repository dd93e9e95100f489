// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writing to a file descriptor.
package enum Descriptor {
    /// Writes all bytes; returns the error number of a write that failed, and nil on success.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    /// Writes all bytes to a pipe or a terminal whose reader may have stopped to read.
    ///
    /// - Parameters:
    ///   - descriptor: of a pipe, or of a terminal with `O_NONBLOCK`, because that may have room for less than a part.
    ///   - isOver: whether to give up while the reader takes nothing; asked several times a second.
    /// - Returns: the error number of a write that failed, EAGAIN if it was given up, and nil on success.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, until isOver: () -> Bool) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&output, 1, 200) != 0 else {
                if isOver() { return EAGAIN }
                continue
            }
            // What a pipe takes at once when it takes anything.
            let part = rest.prefix(Int(PIPE_BUF))
            let count = unsafe part.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR && errno != EAGAIN {
                return count < 0 ? errno : EIO
            } else if isOver() {
                return EAGAIN
            }
        }
        return nil
    }
}
