// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("Roles of parameters")
struct ParameterRoleTests {
    @Test("Each standard role belongs to one value of the catalog, whose unit the role allows")
    func catalogue() {
        let fields = Parameter.catalogue.flatMap(\.fields).filter { $0.role != nil }
        #expect(Set(fields.map(\.name)) == Set(ParameterRole.standard.keys))
        #expect(fields.count == ParameterRole.standard.count)
        for field in fields { #expect(field.role?.allows(field.symbol) == true, "\(field.name)") }
        let speed = ParameterGroup.all.flatMap(\.signals).first { $0.field.name == "vehicle_speed" }
        #expect(speed?.field.role == .vehicleSpeed)
    }

    @Test("A truth value has no unit, and any other role has at least one")
    func units() {
        for role in ParameterRole.allCases {
            #expect(role.isTruth == role.units.isEmpty && role.allows(nil) == role.isTruth)
            #expect(role.units.allSatisfy { role.allows($0) } && !role.allows("furlong"))
        }
    }

    @Test("A truth value without labels is a flag: every number but 0 is true, or those that are named")
    func flags() throws {
        let charging = Field(custom: "x", try Formula("A"), role: .charging)
        #expect(charging.kind == .flag && charging.decode([0].span) == .flag(false))
        #expect(charging.decode([7].span) == .flag(true))
        let named = Field(custom: "x", try Formula("A/2"), role: .ready, trueValues: [2, 3])
        #expect([4, 5, 6].map { named.decode([$0].span) } == [.flag(true), .flag(false), .flag(true)])
        let charge = Field(custom: "x", try Formula("A"), symbol: "%", role: .stateOfCharge)
        #expect(charge.kind == .number && charge.decode([7].span) == .number(7))
        #expect(charge.truth(of: .number(7)) == nil)
    }

    @Test("A truth value with labels stays a code, and the field tells whether it is true")
    func codes() throws {
        let labels = [0: "not ready", 1: "ready", 5: "charging"]
        let state = Field(custom: "x", try Formula("A"), labels: labels, role: .charging, trueValues: [5])
        #expect(state.kind == .code && state.decode([5].span) == .code(5, label: "charging"))
        #expect([0, 1, 5, 9].map { state.truth(of: .code($0, label: nil)) } == [false, false, true, false])
        let plain = Field(custom: "x", try Formula("A"), labels: labels, role: .charging)
        #expect([0, 1, 9].map { plain.truth(of: .code($0, label: nil)) } == [false, true, true])
    }

    @Test("A custom parameter counts for a role before the catalog's, and names decide among custom ones")
    func order() throws {
        let fields = [
            try #require(Parameter.named("hybrid_battery_charge")).fields[0],
            Field(custom: "rear_charge", try Formula("A"), symbol: "%", role: .stateOfCharge),
            Field(custom: "front_charge", try Formula("A"), symbol: "%", role: .stateOfCharge),
            Field(custom: "else", try Formula("A")),
        ]
        let expected = [ParameterRole.stateOfCharge: ["front_charge", "rear_charge", "hybrid_battery_charge"]]
        #expect(ParameterRole.names(of: fields) == expected)
    }
}
