// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Returns the rest of a difference of one after `time` with the time constant `constant`, both in seconds.
func decay(_ time: Double, constant: Double) -> Double {
    exp(-max(0, time) / constant)
}

/// Returns a sine between -1 and 1 with a period in seconds.
func wave(_ time: Double, period: Double, phase: Double = 0) -> Double {
    sin(2 * .pi * (time / period + phase))
}

/// A source of pseudorandom numbers (SplitMix64) that depend on seed and index only, not on the order of access.
struct Dice: Sendable {
    let seed: UInt64

    /// The number at `index`, from zero up to, not including, one.
    subscript(index: Int) -> Double {
        var bits = self.seed &+ (UInt64(bitPattern: Int64(index)) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return Double(bits >> 11) / Double(1 << 53)
    }

    /// The number at `index`, scaled to `range`.
    func value(at index: Int, in range: ClosedRange<Double>) -> Double {
        range.lowerBound + self[index] * (range.upperBound - range.lowerBound)
    }
}

/// A temperature over equal cycles of running and resting.
///
/// The temperature rises toward a target while the engine runs, and falls toward the ambient one while it rests.
struct WarmUp: Sendable {
    let ambient: Double
    let target: Double
    /// Time constants in seconds.
    let rise: Double
    let fall: Double
    /// The parts of a cycle in which the engine runs and rests, in seconds.
    let running: Double
    let resting: Double

    /// Returns the temperature at the start of cycle `cycle`.
    ///
    /// Each cycle maps its start temperature linearly to that of the next cycle. So the temperature of the n-th cycle
    /// is computed without stepping through the cycles before it.
    func start(ofCycle cycle: Int) -> Double {
        let kept = decay(self.running, constant: self.rise) * decay(self.resting, constant: self.fall)
        let gained = (self.target - self.ambient) * (1 - decay(self.running, constant: self.rise))
        let steady = gained * decay(self.resting, constant: self.fall) / max(1e-9, 1 - kept)
        let cycles = decay(Double(cycle) * (self.running / self.rise + self.resting / self.fall), constant: 1)
        return self.ambient + steady * (1 - cycles)
    }

    /// Returns the temperature `time` seconds after the start of cycle `cycle`.
    func temperature(cycle: Int, at time: Double) -> Double {
        let start = self.start(ofCycle: cycle)
        let warm = self.target + (start - self.target) * decay(min(time, self.running), constant: self.rise)
        guard time > self.running else { return warm }
        return self.ambient + (warm - self.ambient) * decay(time - self.running, constant: self.fall)
    }
}
