// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Numbers with a fixed number of decimal places.
enum FixedPoint {
    /// The largest number of decimal places of a measured value.
    static let placeLimit = 4
    /// The magnitude from which numbers are written as they are.
    private static let largest = 1e9

    /// Returns a number with this many decimal places, 0 to 9.
    static func text(_ number: Double, places: Int) -> String {
        guard number.magnitude < Self.largest else { return JSON.text(of: number) }
        let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((number.magnitude * Double(scale)).rounded())
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        return "\(sign)\(scaled / scale).\(String(scale + scaled % scale).dropFirst())"
    }

    /// Returns the number of decimal places that show a value of unknown resolution: its own, and four digits in all.
    ///
    /// - Parameter previous: the decimal places that the value needed before; it keeps them, and does not jump.
    static func places(of number: Double, previous: Int = 0) -> Int {
        let size =
            switch number.magnitude {
            case ..<10: 3
            case ..<100: 2
            default: 0
            }
        return min(size, max(previous, Self.ownPlaces(of: number)))
    }

    private static func ownPlaces(of number: Double) -> Int {
        let text = JSON.text(of: (number * 1e4).rounded() / 1e4)
        guard let point = text.firstIndex(of: "."), !text.contains("e") else { return 0 }
        return min(Self.placeLimit, text.distance(from: point, to: text.endIndex) - 1)
    }
}
