// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite("[home_assistant] console_url")
struct ConsoleURLTests {
    @Test(
        "It is the address of a page, and there is none by default",
        arguments: [
            "https://console.example/", "http://192.168.1.5:8080/obd/index.html", "http://[fe80::1]/",
            "http://[::1]:8080/", "https://console", "https://console:443?a",
        ]
    )
    func addresses(url: String) throws {
        let text = shortest + "[home_assistant]\nconsole_url = \"\(url)\""
        #expect(try configuration(text).homeAssistant.consoleURL == url)
        #expect(try configuration(shortest).homeAssistant.consoleURL == nil)
        #expect(try configuration(shortest + "[home_assistant]\nconsole_url = \"\"").homeAssistant.consoleURL == nil)
    }

    @Test(
        "Another text, or an address with a fragment, is an error",
        arguments: [
            "console.example", "https://", "ftp://console.example/", "https://c/#/van", "https://c /", "https:///x",
            "http://[", "http://[::1", "http://h:99999/", "http://h:abc/", "http://h:/", "http://h:0/", "http://a b/",
            "http://[]/",
        ]
    )
    func mistakes(url: String) {
        let found = problems(shortest + "[home_assistant]\nconsole_url = \"\(url)\"")
        #expect(found.contains("[home_assistant] console_url"), "\(found)")
        #expect(found.contains("is not the address of a page. Try: https://HOST/"), "\(found)")
    }
}
