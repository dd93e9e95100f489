// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The times of a dialogue on CAN.
package enum CANTiming {
    /// The wait for the first frame of a reply.
    ///
    /// An ECU has 50 ms (P2 of ISO 15765-4). Gateways and a busy bus need the rest.
    package static let response = Duration.milliseconds(150)
    /// The wait for a reply to a request for which an ECU may need long.
    package static let slowResponse = Duration.seconds(1)
    /// The wait after "response pending", negative response code 78 (P2* of ISO 15765-4).
    package static let pending = Duration.seconds(5)
    /// The longest wait for an ECU that sends "response pending" again and again.
    package static let pendingLimit = Duration.seconds(60)
    /// The longest pause between two frames of a message: the kernel ends the message after 1 s.
    package static let frameGap = Duration.milliseconds(1100)
    /// The time after a request's end for which its missing replies may still arrive.
    package static let late = Duration.milliseconds(500)
    /// The time for which a repeated message may be the copy of the one before.
    ///
    /// It is shorter than any poll interval, because an unchanged value repeats too.
    package static let double = Duration.milliseconds(10)
    /// The pause before the retry to a busy ECU (negative response code 21).
    package static let busyPause = Duration.milliseconds(200)
    /// The pause before a frame is offered again to a full queue.
    package static let queuePause = Duration.milliseconds(2)
    /// The time for which the queue may stay full.
    package static let queueLimit = Duration.milliseconds(100)
    /// The maximum number of retries of a request.
    static let retries = 2
}
