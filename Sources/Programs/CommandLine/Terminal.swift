// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// For winsize: which C module declares it depends on the compiler.
import CLinux
import EventLoop
import Glibc
package import Subscriber

/// The terminal in full-screen mode: no echo, unbuffered keys, the alternate screen, no cursor.
package struct Terminal {
    private let before: termios
    private let taken: termios

    /// Returns nil unless standard input and output are a terminal that can move its cursor.
    package init?() {
        var settings = termios()
        let kind = environmentVariable("TERM") ?? ""
        guard isatty(0) == 1, isatty(1) == 1, !["", "dumb"].contains(kind), unsafe tcgetattr(0, &settings) == 0 else {
            return nil
        }
        self.before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        // Ctrl-S would stop the screen, and with it the command.
        settings.c_iflag &= ~tcflag_t(IXON)
        // A read returns at once. Ctrl-Z is off, because it would leave the shell on the alternate screen.
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { bytes in
            for index in [VMIN, VTIME, VSUSP] { unsafe bytes[Int(index)] = 0 }
        }
        self.taken = settings
        // A crash must not leave the shell without its cursor.
        unsafe CLinux_restore_terminal_at_crash(Self.restoration)
        self.take()
    }

    private func take() {
        var settings = self.taken
        unsafe tcsetattr(0, TCSANOW, &settings)
        self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    /// Takes the terminal again if a shell has had it meanwhile, because the job was stopped or in the background.
    ///
    /// - Returns: whether the screen has to be drawn anew.
    package func takeBack() -> Bool {
        var settings = termios()
        guard unsafe tcgetattr(0, &settings) == 0, settings.c_lflag & tcflag_t(ECHO | ICANON) != 0 else { return false }
        self.take()
        return true
    }

    /// The sequences that end what the initializer began.
    private static let restoration = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Restores the terminal's settings and its screen.
    package func restore() {
        self.write(Self.restoration)
        // Waiting for the output would be waiting for a terminal that takes none. Keys that were typed are not for the shell.
        var settings = self.before
        unsafe tcsetattr(0, TCSANOW, &settings)
        tcflush(0, TCIFLUSH)
    }

    /// Whether the user wants colors; see no-color.org.
    package static var isColored: Bool {
        environmentVariable("NO_COLOR")?.isEmpty ?? true
    }

    package var size: Dashboard.Size {
        var size = winsize()
        guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Dashboard.Size(columns: 80, rows: 24)
        }
        return Dashboard.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Returns the bytes that were typed since the last call.
    package func read() -> [UInt8] {
        // Under the settings of a shell, a read waits for the end of a line.
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&input, 1, 0) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(0, $0.baseAddress, $0.count) }
        return Array(bytes.prefix(max(0, count)))
    }

    package func write(_ text: String) { StandardOutput.write(Array(text.utf8)) }
}
