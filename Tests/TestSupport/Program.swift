// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The error of a program that is not installed on this machine.
package struct MissingProgram: Error, CustomStringConvertible {
    let name: String
    let debianPackage: String

    package var description: String {
        "\(self.name) is not installed: apt-get install \(self.debianPackage)"
    }
}

/// An installed program.
package struct Program: Hashable, Sendable {
    /// The path of the program.
    package let path: String

    /// Finds `name` in `PATH` and in the directories of servers.
    ///
    /// - Throws: ``MissingProgram`` that names the Debian package to install.
    package init(_ name: String, debianPackage: String) throws {
        let search = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        let folders = search.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/usr/bin"]
        guard let folder = folders.first(where: { unsafe access("\($0)/\(name)", X_OK) == 0 }) else {
            throw MissingProgram(name: name, debianPackage: debianPackage)
        }
        self.path = "\(folder)/\(name)"
    }

    /// Creates a program with a known path.
    package init(path: String) {
        self.path = path
    }

    /// Creates a program of this package, which is built beside the running tests.
    package init(builtHere name: String) throws {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0 else { throw SystemError("readlink") }
        let tests = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.path = tests.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/\(name)"
    }

    /// Runs the program to its end.
    ///
    /// - Throws: ``ProgramFailed`` with its error output if its exit status is not 0.
    @discardableResult
    package func run(_ arguments: [String]) async throws -> [String] {
        let child = try ChildProcess(self, arguments)
        return try await within("\(self.path)") {
            var output: [String] = []
            for await line in child.output { output.append(line) }
            var errors: [String] = []
            for await line in child.errors { errors.append(line) }
            let status = try await child.exitStatus()
            guard status == .exited(0) else {
                throw ProgramFailed(path: self.path, status: status, errors: errors)
            }
            return output
        }
    }
}

/// The error of a program whose exit status was not 0.
package struct ProgramFailed: Error, CustomStringConvertible {
    let path: String
    let status: ChildProcess.ExitStatus
    let errors: [String]

    package var description: String {
        "\(self.path): \(self.status) \(self.errors.joined(separator: " | "))"
    }
}
