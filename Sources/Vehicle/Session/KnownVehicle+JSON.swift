// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import ELM327
import OBD2

// The form in which the parameters are kept for the next process.
extension KnownVehicle {
    /// The parameters as JSON.
    package var json: JSON {
        let ecus = self.ecus.sorted { $0.key < $1.key }.map { ecu, parameters in
            let bitmaps = parameters.supported.bitmapBases.compactMap { base in
                parameters.supported.bitmap(base).map { (base, $0) }
            }
            return JSON.object(
                ecu.json.merging([
                    "bitmaps": JSON(Dictionary(uniqueKeysWithValues: bitmaps)), "maxima": JSON(parameters.maxima),
                ]) { $1 }
            )
        }
        return [
            "vin": .string(self.vin.description), "bus": .integer(Int64(self.bus.rawValue)),
            "dialect": .string(self.dialect.rawValue), "ecus": .array(ecus),
        ]
    }

    /// - Returns: nil if the JSON is damaged.
    package init?(_ json: JSON) {
        guard let vin = json["vin"].string.flatMap({ VIN($0) }),
            let bus = json["bus"].count.flatMap({ UInt8(exactly: $0) }).flatMap(BusProtocol.init(rawValue:)),
            let dialect = json["dialect"].string.flatMap(Dialect.init(rawValue:))
        else { return nil }
        var ecus: [ECUAddress: Parameters] = [:]
        for element in json["ecus"].elements {
            guard let ecu = ECUAddress(element), let bitmaps = element["bitmaps"].dataByPID,
                let maxima = element["maxima"].dataByPID
            else { return nil }
            var parameters = Parameters()
            for (base, bitmap) in bitmaps {
                guard (try? parameters.supported.merge(base: base, bitmap: bitmap)) != nil else { return nil }
            }
            guard parameters.supported.nextBitmap == nil else { return nil }
            parameters.maxima = maxima
            ecus[ecu] = parameters
        }
        self.init(vin: vin, bus: bus, dialect: dialect, ecus: ecus)
    }
}

extension JSON {
    fileprivate init(_ dataByPID: [PID: [UInt8]]) {
        self = .object(
            Dictionary(
                uniqueKeysWithValues: dataByPID.map { ($0.description, .string($1.hexadecimal(separator: ""))) }
            )
        )
    }

    /// The data by PID; nil if they are damaged.
    fileprivate var dataByPID: [PID: [UInt8]]? {
        var data: [PID: [UInt8]] = [:]
        for (name, value) in self.members {
            guard let pid = UInt8(name, radix: 16), let bytes = value.string.flatMap({ [UInt8](hexadecimal: $0) })
            else { return nil }
            data[PID(rawValue: pid)] = bytes
        }
        return data
    }
}
