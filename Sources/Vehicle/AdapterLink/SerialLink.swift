// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Opens links to adapters on a serial device: USB, a UART, an RFCOMM device of the system, a pseudo terminal.
package enum SerialLink {
    /// Opens a device for exclusive use by this process.
    ///
    /// - Parameter baud: the speed of the line, which a pseudo terminal ignores.
    package static func open(path: String, baud: Int) throws(LinkError) -> any AdapterLink {
        let address = "serial:\(path)"
        guard let speed = Self.speeds[baud] else {
            let known = Self.speeds.keys.sorted().map(String.init).joined(separator: ", ")
            throw .cannotOpen(address: address, reason: "\(baud) baud is not supported. Try: \(known)")
        }
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(address: address, reason: Self.reason(errno)) }
        if let reason = Self.claim(descriptor) ?? Self.configure(descriptor, speed) {
            _ = close(descriptor)
            throw .cannotOpen(address: address, reason: reason)
        }
        return DescriptorLink(descriptor, address: address, isSocket: false)
    }

    /// Claims the device for this process.
    ///
    /// The lock excludes programs that also lock the device, even programs of root. `TIOCEXCL` excludes all others.
    ///
    /// - Returns: the reason of a failure; nil on success.
    private static func claim(_ descriptor: Int32) -> String? {
        guard isatty(descriptor) == 1 else { return "not a serial device" }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            return Self.reason(errno == EWOULDBLOCK ? EBUSY : errno)
        }
        _ = ioctl(descriptor, UInt(TIOCEXCL))
        return nil
    }

    /// Sets raw mode and the speed of the line.
    ///
    /// - Returns: the reason of a failure; nil on success.
    private static func configure(_ descriptor: Int32, _ speed: speed_t) -> String? {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { return SystemError.text(errno) }
        unsafe cfmakeraw(&settings)
        // cfmakeraw keeps these: an earlier program's flow control would hold back bytes, or send bytes of its own.
        settings.c_iflag &= ~tcflag_t(IXOFF | IXANY)
        settings.c_cflag &= ~tcflag_t(CRTSCTS)
        // Modem lines are ignored. Closing must not drop them, because some adapters then reset.
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        settings.c_cflag &= ~tcflag_t(HUPCL | CSTOPB | PARENB)
        unsafe cfsetspeed(&settings, speed)
        guard unsafe tcsetattr(descriptor, TCSANOW, &settings) == 0 else { return SystemError.text(errno) }
        tcflush(descriptor, TCIOFLUSH)
        return nil
    }

    private static func reason(_ number: Int32) -> String {
        switch number {
        case EACCES: "permission denied. Try: add the user to the group dialout"
        case EBUSY: "another program has the device open"
        default: SystemError.text(number)
        }
    }

    private static let speeds: [Int: speed_t] = [
        9600: speed_t(B9600), 19200: speed_t(B19200), 38400: speed_t(B38400), 57600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800), 500_000: speed_t(B500000),
        921_600: speed_t(B921600), 1_000_000: speed_t(B1000000), 2_000_000: speed_t(B2000000),
    ]
}
