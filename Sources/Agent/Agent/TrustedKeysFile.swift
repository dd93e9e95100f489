// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Commands
import EventLoop
import JOSE
import Logging

/// The file of the trusted keys, which is checked again for each command.
///
/// A new key and a revoked key take effect without a restart.
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
    /// - Throws: ``AgentError`` if the file cannot be read or has no valid key set.
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

    /// The keys in the file now.
    ///
    /// None while the file cannot be read, because a key may have been revoked.
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
                    "Signed commands are rejected until [commands] trusted_keys is corrected: \(self.path): \(error)"
                )
            }
            return content.keys
        }
    }

    private static func read(_ path: String) throws(TrustedKeysError) -> TrustedKeys {
        // One byte above the limit, so that a file that is too large is reported as such.
        guard let bytes = TextFile.bytes(of: path, limit: JSONWebKeySet.sizeLimit + 1) else {
            throw TrustedKeysError("the file cannot be read")
        }
        return try TrustedKeys(parsing: bytes)
    }
}
