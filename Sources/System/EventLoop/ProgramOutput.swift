// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The output of other programs about the machine.
package enum ProgramOutput {
    /// The maximum number of bytes that are read.
    static let limit = 1024 * 1024

    /// Returns the output of a fixed command, with its errors; nil if it cannot be run or fails.
    ///
    /// - Parameter command: a command for the shell, which is ended after ten seconds.
    package static func of(_ command: StaticString) -> String? {
        guard let pipe = unsafe popen("exec 2>&1 </dev/null; timeout 10 \(command)", "re") else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < Self.limit {
            let count = unsafe fread(&buffer, 1, buffer.count, pipe)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        guard unsafe pclose(pipe) == 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
