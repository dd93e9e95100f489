// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import TestSupport
import Testing

@testable import Uplink

@Suite("Batches of samples")
struct TelemetryBatcherTests {
    private typealias Sample = Uplink.Sample

    private static func sample(
        _ series: String,
        _ steps: Int64,
        _ milliseconds: Int,
        scale: Double = 0.25,
        ecu: String = "7E8"
    ) -> Sample {
        Sample(
            series: series,
            ecu: ecu,
            scale: scale,
            steps: steps,
            time: MonotonicTime(sinceBoot: .milliseconds(milliseconds))
        )
    }

    /// Decodes a batch as a consumer does.
    private static func decode(_ batch: TelemetryBatcher.Batch) -> [Sample] {
        batch.series.flatMap { name, series in
            #expect(series.dt.count == series.dv.count)
            var time = batch.start
            var steps: Int64 = 0
            return zip(series.dt, series.dv).map { dt, dv in
                time = time + .milliseconds(dt)
                steps &+= dv
                return Sample(series: name, ecu: series.ecu, scale: series.scale, steps: steps, time: time)
            }
        }
    }

    @Test("The differences are those of the contract's example")
    func example() throws {
        var batcher = TelemetryBatcher(interval: .seconds(10))
        for (steps, time) in [(3250, 100), (3262, 580), (3258, 1090)] as [(Int64, Int)] {
            #expect(batcher.append(Self.sample("engine_speed", steps, time)) == nil)
        }
        let taken = batcher.take()
        let batch = try #require(taken)
        #expect(batch.start == MonotonicTime(sinceBoot: .milliseconds(100)))
        #expect(
            batch.series == ["engine_speed": .init(ecu: "7E8", scale: 0.25, dt: [0, 480, 510], dv: [3250, 12, -4])]
        )
        #expect(batcher.take() == nil)
    }

    @Test("A batch ends before a sample that is older than its start, so that no difference is negative")
    func older() throws {
        var batcher = TelemetryBatcher(interval: .seconds(10))
        let samples = [Self.sample("supply_voltage", 57, 105), Self.sample("engine_speed", 3250, 100)]
        #expect(batcher.append(samples[0]) == nil)
        let ended = batcher.append(samples[1])
        #expect(try Self.decode(#require(ended)) == [samples[0]])
        let taken = batcher.take()
        let batch = try #require(taken)
        #expect(batch.start == samples[1].time)
        #expect(Self.decode(batch) == [samples[1]])
    }

    @Test("A batch ends with its interval, by a flush or by the next sample")
    func interval() {
        var batcher = TelemetryBatcher(interval: .seconds(10))
        #expect(batcher.flush(at: .zero) == nil)
        _ = batcher.append(Self.sample("a", 1, 1000))
        #expect(batcher.flush(at: MonotonicTime(sinceBoot: .milliseconds(10_999))) == nil)
        #expect(batcher.append(Self.sample("a", 2, 11_000)).map(Self.decode) == [Self.sample("a", 1, 1000)])
        #expect(
            batcher.flush(at: MonotonicTime(sinceBoot: .seconds(21))).map(Self.decode) == [Self.sample("a", 2, 11_000)]
        )
    }

    @Test("Another scale or another ECU of one series begins a new batch")
    func scaleChange() {
        var batcher = TelemetryBatcher(interval: .seconds(10))
        _ = batcher.append(Self.sample("a", 1, 0))
        _ = batcher.append(Self.sample("b", 1, 0, scale: 1))
        #expect(batcher.append(Self.sample("a", 1, 1, scale: 0.5))?.series.count == 2)
        #expect(batcher.append(Self.sample("a", 1, 2, scale: 0.5, ecu: "7E9"))?.series.count == 1)
        #expect(batcher.take().map(Self.decode) == [Self.sample("a", 1, 2, scale: 0.5, ecu: "7E9")])
    }

    @Test("A batch has at most 2000 samples")
    func limit() {
        var batcher = TelemetryBatcher(interval: .seconds(3600))
        for index in 0..<2000 { #expect(batcher.append(Self.sample("\(index % 7)", Int64(index), index)) == nil) }
        #expect(batcher.append(Self.sample("x", 0, 2000)).map(Self.decode)?.count == 2000)
    }

    @Test("Consumers decode the same samples, to the millisecond", arguments: 0..<20)
    func property(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        var batcher = TelemetryBatcher(interval: .milliseconds(Int.random(in: 1...5000, using: &numbers)))
        var given: [String: [Sample]] = [:]
        var got: [String: [Sample]] = [:]
        func consume(_ batch: TelemetryBatcher.Batch?) {
            guard let batch else { return }
            for sample in Self.decode(batch) { got[sample.series, default: []].append(sample) }
        }
        var microseconds = 0
        for _ in 0..<3000 {
            microseconds += Int.random(in: 0...300_000, using: &numbers)
            let series = String(Int.random(in: 0..<5, using: &numbers))
            let extreme = Int.random(in: 0..<20, using: &numbers) == 0
            let sample = Sample(
                series: series,
                ecu: Int.random(in: 0..<50, using: &numbers) == 0 ? "7E9" : "7E8",
                scale: Int.random(in: 0..<50, using: &numbers) == 0 ? 1 : 0.25,
                steps: extreme
                    ? [.min, .max].randomElement(using: &numbers) ?? 0 : .random(in: -9999...9999, using: &numbers),
                time: MonotonicTime(sinceBoot: .microseconds(microseconds))
            )
            given[series, default: []].append(sample)
            consume(batcher.append(sample))
            if Int.random(in: 0..<9, using: &numbers) == 0 { consume(batcher.flush(at: sample.time)) }
        }
        consume(batcher.take())
        #expect(given.keys == got.keys)
        for (series, samples) in given {
            let decoded = got[series] ?? []
            #expect(decoded.count == samples.count)
            for (sample, decoded) in zip(samples, decoded) {
                #expect(sample.steps == decoded.steps && sample.scale == decoded.scale)
                #expect(sample.report.ecu == decoded.report.ecu)
                #expect((sample.time - decoded.time).magnitude < .milliseconds(1))
            }
        }
    }
}

extension Uplink.Sample {
    /// A number of the primary ECU; its payload has another value.
    init(series: String, ecu: String, scale: Double, steps: Int64, time: MonotonicTime) {
        let value = FieldValue(field: SupplyValue.voltage.field, value: .number(12))
        let date = Timestamp(milliseconds: 0)
        self.init(
            name: series,
            isPrimary: true,
            report: ParameterReport(value, imperial: false, time: date, ecu: ecu, quality: .good),
            metric: ShownValue(value, imperial: false),
            scale: scale,
            steps: steps,
            time: time
        )
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
