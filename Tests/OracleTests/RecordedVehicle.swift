// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// A real vehicle, by its model and model year, with the requests that it answered without a diagnostic session.
struct RecordedVehicle: Hashable {
    let model: String
    let year: Int
    /// The answered requests, each a header and the bytes, as in `7E4 220101`.
    private var answered: Set<String> = []
    /// The headers of the ECUs that answered something.
    private var headers: Set<String> = []

    /// Reads the vehicles of a table: model, model year, ECU and answered commands, with tabs between.
    static func all(_ lines: [String]) -> [RecordedVehicle] {
        var vehicles: [RecordedVehicle] = []
        for cells in lines.map({ $0.split(separator: "\t") }) where cells.count == 4 {
            guard let year = Int(cells[1]) else { continue }
            if vehicles.last?.model != String(cells[0]) || vehicles.last?.year != year {
                vehicles.append(RecordedVehicle(model: String(cells[0]), year: year))
            }
            for command in cells[3].split(separator: " ") where !command.contains("din=") {
                let parts = command.split(separator: "|")[0].split(separator: ".")
                vehicles[vehicles.count - 1].headers.insert(String(parts[0]))
                vehicles[vehicles.count - 1].answered.insert("\(parts[0]) \(parts[parts.count - 1])")
            }
        }
        return vehicles
    }

    private init(model: String, year: Int) {
        self.model = model
        self.year = year
    }

    /// Whether the request can be sent on the vehicle's bus, which has identifiers of one length.
    func isReached(by request: CustomRequest) -> Bool {
        let hasStandardIdentifiers = self.headers.contains { $0.count == 3 }
        return request.destination?.fits(isCAN: true, hasExtendedIdentifiers: !hasStandardIdentifiers) ?? true
    }

    /// Returns the answer of the vehicle to a request.
    func answer(to request: CustomRequest) -> ModelDetection.Answer {
        let header = Self.header(of: request)
        if self.answered.contains("\(header) \(request.payload.hexadecimal(separator: ""))") { return .positive }
        return self.headers.contains(header) ? .refused : .silent
    }

    /// The header in the digits of the table, which leave out the priority and the tester of a 29-bit identifier.
    private static func header(of request: CustomRequest) -> String {
        guard let header = request.destination?.header else { return "7DF" }
        let digits = header.description
        return digits.count == 8 ? String(digits.dropFirst(2).prefix(4)) : digits
    }
}
