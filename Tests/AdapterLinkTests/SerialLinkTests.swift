// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("A link over a serial line")
struct SerialLinkTests {
    private let terminal = Terminal()
    private var soon: MonotonicTime { BootClock().now + .seconds(120) }
    private static let everyByte = (0...255).map { UInt8($0) }

    private func open() throws -> any AdapterLink {
        try SerialLink.open(path: self.terminal.path, baud: 38400)
    }

    private func reason(_ path: String, baud: Int = 38400) -> String {
        do {
            try SerialLink.open(path: path, baud: baud).close()
            return "opened"
        } catch {
            return error.description
        }
    }

    @Test("Every byte passes unchanged, both ways")
    func transparent() async throws {
        let link = try self.open()
        defer { link.close() }
        #expect(link.address == "serial:\(self.terminal.path)")
        try await link.write(Self.everyByte)
        #expect(self.terminal.read(256) == Self.everyByte)
        self.terminal.write(Self.everyByte)
        var received: [UInt8] = []
        while received.count < 256, case .bytes(let bytes) = try await link.read(until: self.soon) { received += bytes }
        #expect(received == Self.everyByte)
    }

    @Test("The line is raw and without flow control, whatever its earlier settings")
    func settings() throws {
        let before = unsafe Glibc.open(self.terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { Glibc.close(before) }
        var left = termios()
        unsafe tcgetattr(before, &left)
        let input = tcflag_t(IXON | IXOFF | ICRNL)
        let control = tcflag_t(CRTSCTS) | tcflag_t(CSTOPB)
        let local = tcflag_t(ECHO | ICANON | ISIG)
        left.c_iflag |= input
        left.c_cflag |= control
        left.c_lflag |= local
        unsafe tcsetattr(before, TCSANOW, &left)
        let link = try self.open()
        defer { link.close() }
        let now = self.terminal.settings().settings
        let lasting = tcflag_t(CLOCAL | CREAD)
        #expect(now.c_iflag & input == 0)
        #expect(now.c_cflag & (control | tcflag_t(HUPCL)) == 0)
        #expect(now.c_cflag & lasting == lasting)
        #expect(now.c_lflag & local == 0)
        let speed = unsafe withUnsafePointer(to: now) { unsafe cfgetospeed($0) }
        #expect(speed == speed_t(B38400))
    }

    @Test("A device can be open only once at a time")
    func exclusive() async throws {
        let link = try self.open()
        #expect(self.terminal.settings().isExclusive)
        #expect(self.reason(self.terminal.path).contains("another program has the device open"))
        try await link.write([0x41])
        #expect(self.terminal.read(1) == [0x41])
        link.close()
        #expect(!self.terminal.settings().isExclusive)
        try self.open().close()
    }

    @Test("Unplugging the adapter loses the link and ends a waiting read")
    func hangUp() async throws {
        let link = try self.open()
        defer { link.close() }
        let deadline = self.soon
        let reader = Task { try await link.read(until: deadline) }
        self.terminal.hangUp()
        let error = await #expect(throws: LinkError.self) { try await reader.value }
        #expect(error?.description.hasPrefix("the link was lost") == true)
        await #expect(throws: LinkError.self) { try await link.write([0x0D]) }
    }

    @Test("The error of a failed open names the device and the reason")
    func failures() throws {
        #expect(self.reason("/nowhere/ttyUSB0") == "cannot open serial:/nowhere/ttyUSB0: No such file or directory")
        #expect(self.reason("/dev/null") == "cannot open serial:/dev/null: not a serial device")
        #expect(self.reason("/tmp").contains("Is a directory"))
        #expect(self.reason(self.terminal.path, baud: 12345).contains("12345 baud is not supported"))
    }

    @Test("The error of a denied open has advice", .enabled(if: geteuid() != 0))
    func permission() {
        unsafe chmod(self.terminal.path, 0)
        #expect(self.reason(self.terminal.path).contains("add the user to the group dialout"))
    }
}
