// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import Configuration

@Suite("Sets of custom parameters")
struct SetTests {
    private static let charge = "[custom.charge]\nrequest = \"220101\"\nformula = \"A\"\n"

    @Test("What sets cannot be is told with what it can be, and a detection without a catalog with the missing key")
    func wrongSets() {
        let advice = "Try: [\"/etc/obd-agent/sets\"], or \"detect\""
        for (value, found) in [("1", "the number 1"), ("\"detected\"", "the text \"detected\"")] {
            let expected = "expected a list of files or directories, found \(found). \(advice)"
            let text = shortest + "[parameters]\nsets = \(value)"
            #expect(problems(text) == "agent.toml:6: [parameters] sets: \(expected)")
        }
        let needed = """
            agent.toml:7: [parameters] sets: "detect" needs the signal sets of models. \
            Try: catalog = "/usr/share/obd-signals" in the same table
            """
        for more in ["", "\ncatalog = []", "\ncatalog = \"\""] {
            let text = shortest + "[parameters]\nengine_speed = 1\nsets = \"detect\"" + more
            #expect(problems(text) == needed)
        }
    }

    @Test("The agent chooses the set of the model where the configuration says so, beside the custom parameters")
    func detection() throws {
        let text = "[parameters]\nsets = \"detect\"\ncatalog = \"/a\"\n" + Self.charge
        let detecting = try configuration(shortest + text)
        #expect(detecting.detectsSets && detecting.catalog == ["/a"])
        #expect(detecting.custom.map(\.name) == ["charge"])
        #expect(try !configuration(shortest + "[parameters]\ncatalog = \"/a\"\n").detectsSets)
    }

    @Test("The parameters of a set come with the intervals that it gives, and a mistake in one is an error")
    func parametersOfSet() throws {
        let text = "[custom.x]\nrequest = \"2101\"\nheader = \"7E4\"\nformula = \"A\"\ninterval = 5\n"
        let found = try Configuration.parameters(of: SourceFile(name: "set", bytes: Array(text.utf8)))
        #expect(found.map(\.parameter.name) == ["x"] && found.map(\.interval) == [.seconds(5)])
        let outside = text.replacing("7E4", with: "123")
        #expect(throws: ConfigurationError.self) {
            try Configuration.parameters(of: SourceFile(name: "set", bytes: Array(outside.utf8)))
        }
    }
}
