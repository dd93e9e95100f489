// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A real `dbus-daemon` for one test, on a socket in a temporary directory; killed with its last reference.
package final class MessageBus: Sendable {
    /// The options of the daemon.
    package struct Options: Sendable {
        /// Rules that follow the rules which allow everything, such as `<deny send_destination="org.bluez"/>`.
        package var policy: String
        /// Command lines by bus name: the daemon starts the program when its name is called.
        package var services: [String: String]

        package init(policy: String = "", services: [String: String] = [:]) {
            self.policy = policy
            self.services = services
        }
    }

    /// The D-Bus address of the daemon.
    package let address: String
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts a daemon, and waits until it listens.
    package init(_ options: Options = Options()) async throws {
        let program = try Program("dbus-daemon", debianPackage: "dbus")
        self.directory = try TemporaryDirectory()
        let path = self.directory.path
        for (name, command) in options.services {
            try self.directory.write("[D-BUS Service]\nName=\(name)\nExec=\(command)\n", to: "\(name).service")
        }
        let file = try self.directory.write(Self.configuration(options, path), to: "bus.conf")
        let child = try ChildProcess(program, ["--config-file=\(file)", "--nofork", "--nopidfile", "--print-address"])
        self.process = child
        do {
            self.address = try await child.output.next("the address of dbus-daemon")
        } catch {
            child.signal(SIGKILL)
            var log: [String] = []
            for await line in child.errors { log.append(line) }
            throw MessageBusFailed(description: "\(error); dbus-daemon printed: \(log.joined(separator: " | "))")
        }
    }

    private static func configuration(_ options: Options, _ path: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
            <listen>unix:path=\(path)/socket</listen>
            <auth>EXTERNAL</auth>
            <servicedir>\(path)</servicedir>
            <policy context="default">
                <allow user="*"/>
                <allow own="*"/>
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
                \(options.policy)
            </policy>
            <limit name="max_replies_per_connection">10000</limit>
        </busconfig>

        """
    }

    /// Kills the daemon, and waits until it has ended.
    package func kill() async throws {
        self.process.signal(SIGKILL)
        _ = try await within("the end of dbus-daemon") { [process] in try await process.exitStatus() }
    }
}

/// The error of a `dbus-daemon` that did not start.
package struct MessageBusFailed: Error, CustomStringConvertible {
    package let description: String
}
