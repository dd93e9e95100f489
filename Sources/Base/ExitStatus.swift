// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason for which the process ends, with the number in sysexits.h if it has one.
///
/// systemd does not restart a process that ended for a reason which only a human can remove.
package enum ExitStatus: Int32, Sendable {
    /// The vehicle's agent refused a command.
    case refused = 2
    /// A command failed in the vehicle.
    case failed = 3
    /// The user did not confirm a question.
    case notConfirmed = 4
    /// A command succeeded, and the agent had no room to send its result.
    case resultLeftOut = 5
    /// EX_USAGE: the command line is wrong.
    case usage = 64
    /// EX_DATAERR: a transcript differs from the dialogue that this version of the agent would have had.
    case dataError = 65
    /// EX_NOINPUT: a named file cannot be read.
    case noInput = 66
    /// EX_UNAVAILABLE: the adapter, the vehicle or the broker does not answer.
    case unavailable = 69
    /// EX_CANTCREAT: a file cannot be created, or may not be replaced.
    case cannotCreate = 73
    /// EX_IOERR: a write to a file or to standard output failed, for example because the disk is full.
    case inputOutput = 74
    /// EX_TEMPFAIL: no answer in time; the vehicle may be offline.
    case temporaryFailure = 75
    /// EX_NOPERM: the broker, or the vehicle's agent, does not permit the operation.
    case noPermission = 77
    /// EX_CONFIG: the configuration is wrong, or there is none.
    case configuration = 78
}
