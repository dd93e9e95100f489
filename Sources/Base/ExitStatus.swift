// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Why the process ends, as sysexits.h has it where it has it; systemd does not restart what only a human can mend.
package enum ExitStatus: Int32, Sendable {
    /// The vehicle's agent refused a command.
    case refused = 2
    /// A command failed in the vehicle.
    case failed = 3
    /// Somebody was asked, and did not say yes.
    case notConfirmed = 4
    /// EX_USAGE: the command line is wrong.
    case usage = 64
    /// EX_DATAERR: a transcript is not what this version of the agent would have said.
    case dataError = 65
    /// EX_NOINPUT: a file that was named can't be read.
    case noInput = 66
    /// EX_UNAVAILABLE: the adapter, the vehicle or the broker does not answer.
    case unavailable = 69
    /// EX_CANTCREAT: a file can't be written.
    case cannotCreate = 73
    /// EX_TEMPFAIL: no answer in time; the vehicle may be offline.
    case temporaryFailure = 75
    /// EX_NOPERM: the broker, or the vehicle's agent, does not permit it.
    case noPermission = 77
    /// EX_CONFIG: the configuration is wrong, or there is none.
    case configuration = 78
}
