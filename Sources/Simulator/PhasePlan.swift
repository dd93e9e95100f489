// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// The phases of a vehicle, round after round, with the motion of its drives.
///
/// Any moment is computed without stepping through the time before it.
struct PhasePlan: Sendable {
    /// A moment of a round.
    struct Position: Sendable {
        /// The number of the round, counted from zero.
        let round: Int
        /// The seconds since the first round began.
        let seconds: Double
        /// The seconds since this round began.
        let time: Double
        /// The index of the phase, and the seconds since it began.
        let index: Int
        let elapsed: Double
    }

    /// A drive of each round.
    private struct Drive: Sendable {
        let index: Int
        let start: Double
        let cycle: DriveCycle
    }

    let phases: [VehiclePhase]
    /// The lengths of the phases and their beginnings in a round, in seconds.
    private let lengths: [Double]
    private let starts: [Double]
    private let period: Double
    private let drives: [Drive]
    /// The lengths of all drives, and of all charges, of a round, in seconds.
    private let driving: Double
    let charging: Double
    /// The greatest share of a round's charge by which the battery is fuller than at the beginning of the round.
    private let surplus: Double

    init(_ phases: [VehiclePhase], dice: Dice) {
        let phases = phases.isEmpty ? [VehiclePhase(.asleep, .seconds(1))] : phases
        self.phases = phases
        self.lengths = phases.map { min(max($0.kind == .drive ? 1 : 0, $0.duration.seconds), 31_536_000) }
        var starts: [Double] = []
        var sum = 0.0
        for length in self.lengths {
            starts.append(sum)
            sum += length
        }
        self.starts = starts
        let period = max(1, sum)
        self.period = period
        let lengths = self.lengths
        self.drives = phases.indices.filter { phases[$0].kind == .drive }.map { index in
            let rest = Duration.seconds(period - lengths[index])
            let dice = index == 0 ? dice : Dice(seed: dice.seed &+ UInt64(index))
            let cycle = DriveCycle(trip: .seconds(lengths[index]), pause: rest, parking: .zero, dice: dice)
            return Drive(index: index, start: starts[index], cycle: cycle)
        }
        func length(of kind: VehiclePhase.Kind) -> Double {
            phases.indices.filter { phases[$0].kind == kind }.reduce(0) { $0 + lengths[$1] }
        }
        self.driving = length(of: .drive)
        self.charging = length(of: .charging)
        var (balance, surplus) = (0.0, 0.0)
        for index in phases.indices {
            if phases[index].kind == .drive { balance -= lengths[index] / self.driving }
            if phases[index].kind == .charging { balance += lengths[index] / self.charging }
            surplus = max(surplus, balance)
        }
        self.surplus = self.drives.isEmpty ? 0 : surplus
    }

    /// The motion of the first drive; of a standing vehicle if there is none.
    var firstCycle: DriveCycle {
        self.drives.first?.cycle
            ?? DriveCycle(trip: .seconds(1), pause: .seconds(self.period), parking: .zero, dice: Dice(seed: 0))
    }

    /// The mean distance of a round in km.
    var meanDistance: Double { self.drives.reduce(0) { $0 + $1.cycle.meanDistance } }

    /// Returns the position at `elapsed` after the first round began.
    ///
    /// A negative time counts as zero.
    func position(at elapsed: Duration) -> Position {
        let seconds = min(max(0, elapsed.seconds), 1e12)
        let round = Int(seconds / self.period)
        let time = max(0, seconds - Double(round) * self.period)
        let index = self.starts.indices.last { self.starts[$0] <= time && self.lengths[$0] > 0 } ?? 0
        return Position(round: round, seconds: seconds, time: time, index: index, elapsed: time - self.starts[index])
    }

    /// Returns the motion at a position.
    func moment(at position: Position) -> DriveCycle.Moment {
        let moments = self.drives.map { $0.cycle.moment(at: .seconds(position.seconds - $0.start)) }
        let current = self.drives.firstIndex { $0.index == position.index }
        var moment = current.map { moments[$0] } ?? self.firstCycle.moment(at: .zero)
        if current == nil {
            (moment.cranking, moment.engineRuns, moment.runTime) = (false, false, 0)
            (moment.speed, moment.acceleration) = (0, 0)
        }
        moment.trip = position.round
        // Temperatures follow the first drive of the round.
        moment.time = max(0, position.time - (self.drives.first?.start ?? 0))
        moment.totalRunTime = moments.reduce(0) { $0 + $1.totalRunTime }
        moment.distance = moments.reduce(0) { $0 + $1.distance }
        moment.distanceAtStart = moments.reduce(0) { $0 + $1.distanceAtStart }
        return moment
    }

    /// Returns the share of a round's charge that the battery lacks at a position: 0 when it is fullest.
    ///
    /// A round without a drive begins with a used battery. One without a charge ends with it.
    func deficit(at position: Position) -> Double {
        var used = self.drives.isEmpty ? 1.0 : 0
        for drive in self.drives where drive.index <= position.index {
            var share = 1.0
            if drive.index == position.index {
                let start = Duration.seconds(position.seconds - position.elapsed - drive.start)
                let end = start + .seconds(self.lengths[drive.index])
                let distances = [start, .seconds(position.seconds - drive.start), end].map {
                    drive.cycle.moment(at: $0).distance
                }
                let length = distances[2] - distances[0]
                share = length > 0 ? min(1, max(0, (distances[1] - distances[0]) / length)) : 0
            }
            used += share * self.lengths[drive.index] / self.driving
        }
        var charged = 0.0
        for index in self.phases.indices.prefix(position.index + 1) where self.phases[index].kind == .charging {
            charged += (index == position.index ? position.elapsed : self.lengths[index]) / self.charging
        }
        return max(0, used - charged + self.surplus)
    }
}
