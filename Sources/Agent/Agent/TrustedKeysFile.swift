// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Commands
import EventLoop
import JOSE
import Logging

/// The file with the keys whose signatures count, as it is at the moment of each command: no restart for a new key, and
/// none for one that is not trusted any more.
final class TrustedKeysFile: Sendable {
    private struct Content {
        var stamp: FileStamp?
        var keys: TrustedKeys
    }

    private let path: String
    private let logger: Logger
    private let content: Locked<Content>

    /// Reads the file.
    ///
    /// - Throws: ``AgentError`` where that can't be done, or it has no set of keys.
    init(_ path: String, logger: Logger) throws(AgentError) {
        self.path = path
        self.logger = logger
        let stamp = FileStamp(of: path)
        do throws(TrustedKeysError) {
            self.content = Locked(Content(stamp: stamp, keys: try Self.read(path)))
        } catch {
            throw AgentError(description: "[commands] trusted_keys: \(path): \(error)")
        }
    }

    /// The keys that are in the file now; none while it can't be read: a key may have been taken out of it.
    var keys: TrustedKeys {
        self.content.withLock { content in
            let stamp = FileStamp(of: self.path)
            guard stamp != content.stamp else { return content.keys }
            content.stamp = stamp
            do throws(TrustedKeysError) {
                content.keys = try Self.read(self.path)
                self.logger.notice(
                    "The trusted keys have changed",
                    metadata: ["keys": "\(content.keys.keys.keys.count)"]
                )
            } catch {
                content.keys = .none
                self.logger.error(
                    "No signed command is obeyed until the trusted keys are mended: \(self.path): \(error)"
                )
            }
            return content.keys
        }
    }

    private static func read(_ path: String) throws(TrustedKeysError) -> TrustedKeys {
        // One byte more than there may be, so that what is too large is told as such.
        guard let bytes = TextFile.bytes(of: path, limit: JSONWebKeySet.sizeLimit + 1) else {
            throw TrustedKeysError("it can't be read")
        }
        return try TrustedKeys(parsing: bytes)
    }
}
