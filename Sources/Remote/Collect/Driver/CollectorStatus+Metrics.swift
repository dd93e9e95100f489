// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

extension CollectorStatus {
    /// Returns the state in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats).
    package func metrics(at now: Timestamp) -> String {
        var text = ""
        func add(_ name: String, _ help: String, _ kind: String, _ values: String...) {
            text += "# HELP obd_collect_\(name) \(help)\n# TYPE obd_collect_\(name) \(kind)\n"
            for value in values { text += "obd_collect_\(name)\(value)\n" }
        }
        func counter(_ name: String, _ help: String, _ value: UInt64) { add(name, help, "counter", " \(value)") }
        func gauge(_ name: String, _ help: String, _ value: String) { add(name, help, "gauge", " \(value)") }
        func seconds(_ time: Timestamp) -> String { "\(Double(time.milliseconds) / 1000)" }

        gauge("broker_connected", "1 while the collector is connected to the broker.", Self.flag(self.broker))
        gauge("database_connected", "1 while the collector is connected to the database.", Self.flag(self.database))
        add(
            "records_total",
            "Records written.",
            "counter",
            "{stream=\"events\"} \(self.total.records[.events] ?? 0)",
            "{stream=\"responses\"} \(self.total.records[.responses] ?? 0)",
            "{stream=\"telemetry\"} \(self.total.records[.telemetry] ?? 0)"
        )
        counter("samples_total", "Samples written.", UInt64(self.total.samples))
        counter("duplicates_total", "Records that the database had already.", UInt64(self.total.duplicates))
        counter(
            "again_total",
            "Records that came again because a collector had asked for them.",
            UInt64(self.total.again)
        )
        counter("states_total", "States written.", UInt64(self.total.states))
        counter("rejected_total", "Messages that are no records or states of an agent.", UInt64(self.total.rejected))
        counter("batches_total", "Transactions.", UInt64(self.total.transactions))
        counter(
            "conflicts_total",
            "Transactions that were tried again because of another writer.",
            UInt64(self.total.conflicts)
        )
        gauge("waiting_messages", "Received messages that wait to be written.", "\(self.waiting)")
        gauge("lag_seconds", "Age of the oldest message that waits.", "\(self.lag.seconds)")
        if let delay = self.total.delay {
            gauge("delay_seconds", "Time from the newest record of the last batch to its commit.", "\(delay.seconds)")
        }
        gauge("missing_records", "Records that are known to exist and have not arrived.", "\(self.missing)")
        counter("asked_total", "Requests for missing records.", self.asked)
        counter("lost_records_total", "Records that their agents do not have any more.", self.lost)
        counter(
            "client_id_conflicts_total",
            "Connections that another client with the same client id has ended.",
            self.rivals
        )
        counter("lost_sessions_total", "Connections for which the broker had not kept the session.", self.lostSessions)
        if let lastMessage {
            gauge("last_message_timestamp_seconds", "Time of the last message of the broker.", seconds(lastMessage))
        }
        gauge(
            "shared_agents",
            "Agents that were heard on the topics of two vehicles in turn: a cloned card, or a forgery.",
            "\(self.sharedAgents)"
        )
        if let lastCommit {
            gauge("last_commit_timestamp_seconds", "Time of the last transaction.", seconds(lastCommit))
        }
        gauge("start_timestamp_seconds", "Time of the collector's start.", seconds(self.startedAt))
        gauge("timestamp_seconds", "Time at which this file was written.", seconds(now))
        return text
    }

    private static func flag(_ connection: Connection) -> String { connection.since == nil ? "0" : "1" }
}
