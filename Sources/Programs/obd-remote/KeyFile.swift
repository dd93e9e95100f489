// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Contract
import EventLoop
import Glibc
import JOSE

/// The file of a private key.
enum KeyFile {
    /// Reads a private key from a file that only its owner can read.
    static func read(_ path: String) throws -> JSONWebKey {
        func failure(_ words: String) -> CommandFailure { CommandFailure(.configuration, "\(path): \(words)") }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw failure("can't be read: \(Self.systemError). Try: the file that obd-remote key has written")
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("is no regular file. Try: the file that obd-remote key has written")
        }
        // systemd lets a service read its credentials by an access list, whose mask the mode shows.
        let isCredential = environmentVariable("CREDENTIALS_DIRECTORY").map { path.hasPrefix("\($0)/") } ?? false
        guard isCredential || status.st_mode & 0o077 == 0 else {
            throw failure("other users can read or write this private key. Try: a new key, or at least chmod 600")
        }
        var bytes = [UInt8](repeating: 0, count: JSONWebKey.sizeLimit + 1)
        var length = 0
        while length < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("can't be read: \(Self.systemError)") }
            guard count > 0 else { break }
            length += count
        }
        let key: JSONWebKey
        do {
            key = try JSONWebKey(parsing: Array(bytes.prefix(length)))
        } catch {
            throw failure("is no P-256 key: \(error)")
        }
        guard key.isPrivate else {
            throw failure("is a public key, which cannot sign. Try: the file of the private key")
        }
        guard key.keyID != nil else {
            throw failure("has no kid, by which the agent finds the public key. Try: obd-remote key")
        }
        return key
    }

    /// Writes a private key to a new file that only its owner can read.
    static func write(_ key: JSONWebKey, to path: String) throws {
        let file = try OutputFile(path, replacing: false, remedy: "another file; a key is never overwritten.")
        try file.write(key.json.text + "\n")
        try file.close()
    }

    private static var systemError: String { unsafe String(cString: strerror(errno)) }
}
