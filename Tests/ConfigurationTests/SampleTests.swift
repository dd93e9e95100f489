// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite struct SampleTests {
    @Test("The sample is a valid configuration")
    func sampleLoads() throws {
        let configuration = try Configuration.load(path: samplePath)
        #expect(configuration.adapter.address == .ble(nil))
        #expect(configuration.mqtt.servers.map(\.description) == ["mqtts://broker.example:8883"])
    }

    @Test("The sample for mobile networks is a valid configuration with low data use")
    func fleetLoads() throws {
        let path = samplePath.replacing("agent.toml", with: "fleet.toml")
        let configuration = try Configuration.load(path: path)
        #expect(configuration.mqtt.servers.map(\.description) == ["mqtts://broker.example:8883"])
        #expect(configuration.parameters.map(\.interval) == Array(repeating: .seconds(1), count: 10))
        let megabytes = 5 << 20
        let uplink = Configuration.Uplink(
            live: .onDemand,
            batchInterval: .seconds(60),
            compression: .zlib,
            dailyBudget: megabytes
        )
        #expect(configuration.uplink == uplink)
    }

    @Test("The sample shows every key in its table", arguments: Key.allCases)
    func keyIsShown(key: Key) throws {
        #expect(try Self.keys(in: sample()).contains(key.path))
    }

    @Test("The commented keys of the sample have the default values")
    func switchedOffIsDefault() throws {
        let text = try sample()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let switchedOn = lines.map { Self.isSwitchedOff($0) ? $0.dropFirst() : $0 }.joined(separator: "\n")
        #expect(switchedOn != text)
        #expect(try configuration(switchedOn) == configuration(text))
    }

    private static func isSwitchedOff(_ line: Substring) -> Bool {
        line.hasPrefix("#") && line.dropFirst().first?.isLetter == true
    }

    private static func keys(in text: String) -> [[String]] {
        var table = ""
        var keys: [[String]] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") {
                table = String(line.dropFirst().dropLast())
            } else if let equals = line.firstRange(of: " = ") {
                let name = line[..<equals.lowerBound]
                keys.append([table, String(Self.isSwitchedOff(line) ? name.dropFirst() : name)])
            }
        }
        return keys
    }
}
