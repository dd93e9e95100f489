// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import ELM327
import OBD2

// The form in which the bitmaps are kept for the next process.
extension KnownVehicle {
    /// The bitmaps as JSON.
    package var json: JSON {
        let ecus = self.ecus.sorted { $0.key < $1.key }.map { ecu, supported in
            let bitmaps = supported.bitmapBases.compactMap { base in
                supported.bitmap(base).map { (base.description, JSON.string($0.hexadecimal(separator: ""))) }
            }
            let member = ["bitmaps": JSON.object(Dictionary(uniqueKeysWithValues: bitmaps))]
            return JSON.object(ecu.json.merging(member) { $1 })
        }
        return [
            "vin": .string(self.vin.description), "bus": self.bus.json,
            "dialect": .string(self.dialect.rawValue), "ecus": .array(ecus),
        ]
    }

    /// - Returns: nil if the JSON is damaged.
    package init?(_ json: JSON) {
        guard let vin = json["vin"].string.flatMap({ VIN($0) }),
            let bus = BusProtocol(json["bus"]),
            let dialect = json["dialect"].string.flatMap(Dialect.init(rawValue:))
        else { return nil }
        var ecus: [ECUAddress: SupportedPIDs] = [:]
        for element in json["ecus"].elements {
            guard let ecu = ECUAddress(element) else { return nil }
            var supported = SupportedPIDs()
            for (name, value) in element["bitmaps"].members {
                guard let base = UInt8(name, radix: 16).map(PID.init(rawValue:)),
                    let bitmap = value.string.flatMap({ [UInt8](hexadecimal: $0) }),
                    (try? supported.merge(base: base, bitmap: bitmap)) != nil
                else { return nil }
            }
            guard supported.nextBitmap == nil else { return nil }
            ecus[ecu] = supported
        }
        self.init(vin: vin, bus: bus, dialect: dialect, ecus: ecus)
    }
}
