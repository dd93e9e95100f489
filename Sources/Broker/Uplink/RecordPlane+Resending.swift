// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Logging
import Store

// The records that consumers have asked for again.
extension RecordPlane {
    /// Returns the seconds after which records may be published again; 0 if they may now.
    func delayOfResend() -> Int {
        guard self.traffic.level == .normal, self.resends.bytes < self.traffic.resendRoom else {
            let date = self.clock.quality == .synchronised ? self.clock.timestamp : nil
            return max(1, Int(self.traffic.timeToNextDay(at: self.clock.now, on: date).seconds.rounded(.up)))
        }
        return self.resends.count < ResendQueue.limit ? 0 : Int(ResendArguments.limit) / ResendQueue.rate
    }

    /// Queues the acknowledged records of a request.
    func resend(_ request: ResendArguments) async throws(StoreError) -> ResendReport {
        let kept = try await self.store.kept(request.stream, epoch: request.epoch, in: request.numbers)
        defer { self.notifyPump() }
        return self.resends.add(request, kept, room: self.traffic.resendRoom)
    }

    /// Returns the next record to publish again; nil if there is none now.
    ///
    /// Call this only while no new record waits.
    func nextAgain() async -> OutgoingRecord? {
        while let entry = self.resends.next(at: self.clock.now, level: self.traffic.level) {
            do throws(StoreError) {
                if let record = try await self.store.kept(entry.stream, entry.id) {
                    return OutgoingRecord(record: record, isAgain: true)
                }
                // The record was evicted, or has expired, since it was queued.
                self.resends.remove(entry.stream, entry.id)
            } catch {
                self.resends.returnInFlight()
                self.logger.warning("A record could not be read to be published again: \(error)")
                return nil
            }
        }
        return nil
    }
}
