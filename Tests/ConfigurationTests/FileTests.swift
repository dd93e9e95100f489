// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Configuration

@Suite struct FileTests {
    @Test("A missing file is an error with its name and a remedy")
    func missing() {
        let error = #expect(throws: ConfigurationError.self) { try Configuration.load(path: "/nowhere/agent.toml") }
        #expect(
            error?.description
                == "/nowhere/agent.toml: cannot be read: No such file or directory. Try: copy the sample "
                + "agent.toml there, or name another file with --config FILE. The sample is in "
                + "/usr/share/doc/obd-agent/examples, or in etc/obd-agent of the sources"
        )
    }

    @Test("The file with the adapter's PIN is reported if every local user can read it")
    func exposedPIN() throws {
        let directory = try TemporaryDirectory()
        let main = try directory.write("[mqtt]\nurl = \"mqtts://broker.example\"\n", to: "agent.toml")
        #expect(unsafe mkdir("\(main).d", 0o755) == 0)
        let overlay = try directory.write("[adapter]\npin = \"1234\"\n", to: "agent.toml.d/pin.toml")
        #expect(unsafe chmod(main, 0o644) == 0)
        #expect(try Configuration.load(path: main).exposedPINFile == nil)
        #expect(unsafe chmod(overlay, 0o644) == 0)
        #expect(try Configuration.load(path: main).exposedPINFile == overlay)
        #expect(unsafe chmod(overlay, 0o640) == 0)
        #expect(try Configuration.load(path: main).exposedPINFile == nil)
        try directory.write("[mqtt]\nurl = \"mqtts://broker.example\"\n[adapter]\npin = \"1234\"\n", to: "agent.toml")
        #expect(unsafe unlink(overlay) == 0)
        #expect(try Configuration.load(path: main).exposedPINFile == main)
        // A file without a PIN may be readable by every user.
        try directory.write("[mqtt]\nurl = \"mqtts://broker.example\"\n", to: "agent.toml")
        #expect(try Configuration.load(path: main).exposedPINFile == nil)
    }

    @Test("A directory instead of a file is an error")
    func directory() {
        let error = #expect(throws: ConfigurationError.self) { try Configuration.load(path: "/") }
        #expect(error?.description == "/: cannot be read: Is a directory")
    }

    @Test("A pipe or a device is refused without waiting for it", .timeLimit(.minutes(1)))
    func pipe() throws {
        let refusal = "cannot be read: it is a pipe or a device, not a regular file. Try: another path"
        let directory = try TemporaryDirectory()
        let pipe = directory.path + "/pipe.toml"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/zero"] {
            let error = #expect(throws: ConfigurationError.self) { try Configuration.load(path: path) }
            #expect(error?.description == "\(path): \(refusal)")
        }
        let main = try directory.write(
            "[mqtt]\nurl = \"mqtts://broker.example\"\n[parameters]\nsets = [\"\(pipe)\"]\n",
            to: "agent.toml"
        )
        let named = #expect(throws: ConfigurationError.self) { try Configuration.load(path: main) }
        #expect(named?.description == "\(main):4: [parameters] sets: \(pipe) \(refusal)")
        #expect(unsafe mkdir("\(main).d", 0o755) == 0)
        #expect(unsafe mkfifo("\(main).d/10.toml", 0o600) == 0)
        let overlay = #expect(throws: ConfigurationError.self) { try Configuration.load(path: main) }
        #expect(overlay?.description == "\(main).d/10.toml: \(refusal)")
    }

    @Test("A file of 1 MiB is read, and a longer one is refused")
    func size() {
        let comment = [UInt8](repeating: UInt8(ascii: "#"), count: 1 << 20)
        let text = Array(shortest.utf8)
        let largest = text + comment.dropLast(text.count)
        #expect(throws: Never.self) { try Configuration(toml: largest, file: "agent.toml") }
        #expect(throws: ConfigurationError.self) { try Configuration(toml: largest + [0x23], file: "agent.toml") }
    }

    @Test("Invalid UTF-8 is refused with its line")
    func encoding() {
        let bytes = Array("# büro\n# ".utf8) + [0xFC] + Array("\n".utf8)
        let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: bytes, file: "agent.toml") }
        #expect(error?.description == "agent.toml:2: column 3: not UTF-8. Try: save the file as UTF-8")
    }
}
