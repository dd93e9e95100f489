// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import JOSE
import Testing

@Suite("The command describe")
struct DescribeTests {
    @Test("Only an engineer who signs is told the versions of the package", arguments: ["specialist", "engineer"])
    func package(role: String) async throws {
        let bench = Bench()
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": [.string(role)]])
        let executor = bench.executor(keys: try SigningTests.trusting(key))
        await executor.receive(try bench.message("describe", id: "unsigned"))
        #expect(bench.last?.state == .succeeded && bench.last?.result?["package"] == .some(.null))
        let signed = try SigningTests.sign(with: key, at: bench.clock.timestamp, "signed", "describe")
        await executor.receive(Message(topic: try Topic("obd/van/commands"), payload: Array(signed.utf8)))
        let versions: JSON = ["available": ["0.2.0"], "rolled_back": []]
        let result = bench.last?.result
        #expect(bench.last?.state == .succeeded && (result?["package"] == versions) == (role == "engineer"))
    }
}
