// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Remote

@testable import Subscriber

/// The topics of the tests' fleet.
let fleetTopics: FleetTopics = {
    guard let prefix = try? Topic("obd") else { fatalError("obd is a topic") }
    return FleetTopics(prefix: prefix)
}()

/// Creates a message on a topic below `obd/`.
func message(_ path: String, _ payload: String) throws -> Message {
    Message(topic: try Topic("obd/\(path)"), payload: Array(payload.utf8), qos: .atLeastOnce)
}

/// Returns the time this many seconds after the start of the test's clock.
func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(sinceBoot: .milliseconds(Int64(seconds * 1000)))
}
