// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import OBD2
import Testing

@testable import SignalSets

@Suite("The import of a DBC file")
struct DBCTests {
    private static let file = """
        VERSION ""

        NS_ :
        \tNS_DESC_
        \tCM_
        \tVAL_
        \tSG_MUL_VAL_

        BS_:

        BU_: ECM TCM

        BO_ 201 Engine_1: 8 ECM
         SG_ EngineSpeed : 8|16@1+ (0.25,0) [0|8000] "RPM" TCM
         SG_ Torque : 30|11@0- (0.5,-10) [-500|500] "Nm" Vector__XXX
         SG_ Mode : 4|2@1+ (1,0) [0|3] "" Vector__XXX
         SG_ OddBits : 3|13@1- (1,0) [0|0] "" Vector__XXX
         SG_ Counter40 : 24|40@1+ (1,0) [0|0] "degC" Vector__XXX
         SG_ Everything : 0|64@1+ (1,0) [0|0] "" Vector__XXX

        BO_ 2566844672 EEC1: 8 ECM
         SG_ Page M : 0|8@1+ (1,0) [0|255] "" Vector__XXX
         SG_ First m1 : 8|8@1+ (1,0) [0|255] "%" Vector__XXX
         SG_ Second m2 : 8|8@1+ (1,0) [0|255] "%" Vector__XXX
         SG_ Nested m2M : 16|8@1+ (1,0) [0|255] "" Vector__XXX
         SG_ Several m1 : 24|8@1+ (1,0) [0|255] "" Vector__XXX
         SG_ Real : 32|32@1- (1,0) [0|0] "" Vector__XXX
         SG_ Deep m3 : 40|8@1+ (1,0) [0|1.#INF] "" Vector__XXX

        BO_ 2024 Reply: 8 ECM
         SG_ Speed : 24|8@1+ (1,0) [0|255] "km/h" Vector__XXX

        BO_ 419361024 NoMark: 8 ECM
         SG_ Lost : 0|8@1+ (1,0) [0|255] "" Vector__XXX

        BO_ 2566844416 Plain: 8 ECM
         SG_ Number M : 0|8@1+ (1,0) [0|255] "" Vector__XXX
         SG_ Third m3 : 8|8@1+ (1,0) [0|1e999] "" Vector__XXX
         SG_ Long : 8|600@1+ (1,0) [0|1] "" Vector__XXX

        BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX
         SG_ Nobody : 0|8@1+ (1,0) [0|0] "" Vector__XXX

        BO_ 300 Wide: 64 ECM
         SG_ FD : 0|8@1+ (1,0) [0|0] "" Vector__XXX

        CM_ SG_ 201 EngineSpeed "Two lines; with a semicolon,
        VAL_ 201 and what looks like a statement";
        BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
        VAL_ 201 Mode 0 "off" 1 "on; really" 3 "error" ;
        VAL_ 201 EngineSpeed 65535 "SNA" ;
        SIG_VALTYPE_ 2566844672 Real : 1;
        SG_MUL_VAL_ 2566844672 Several Page 1-2, 4-4;
        SG_MUL_VAL_ 2566844672 First Page 1-1;
        SG_MUL_VAL_ 2566844672 Second Page 2-2;
        SG_MUL_VAL_ 2566844672 Deep Nested 3-3;
        CM_ "A quotation \\" mark";
        CM_ SG_ 201 Torque "The last comment";
        """

    private static func parameters(of set: DBCImport) throws -> [String: CustomParameter] {
        let file = SourceFile(name: "set.toml", bytes: Array(set.toml(source: "car.dbc", isSelected: true).utf8))
        let text = "[mqtt]\nurl = \"mqtt://localhost\"\n[parameters]\nsets = [\"/set.toml\"]\n"
        let configuration = try Configuration(toml: Array(text.utf8), file: "agent.toml") { _ in [file] }
        return Dictionary(uniqueKeysWithValues: configuration.custom.map { ($0.name, $0) })
    }

    @Test("What can be received is imported, and the rest is left out with a reason")
    func whole() throws {
        let set = try DBCImport(Array(Self.file.utf8))
        // The catalog has an engine speed of its own.
        let names = [
            "engine_1_engine_speed", "torque", "mode", "odd_bits", "counter40", "page", "first", "second", "number",
            "third",
        ]
        #expect(set.imported.map(\.name) == names)
        let reasons = Dictionary(uniqueKeysWithValues: set.skipped.map { ($0.name, $0.reason) })
        #expect(
            reasons == [
                "Engine_1.Everything": "its 64 bits at bit 0 cannot be written as a formula",
                "EEC1.Nested": "it is in frames with several numbers of a multiplexor",
                "EEC1.Several": "it is in frames with several numbers of a multiplexor",
                "EEC1.Deep": "it is in frames with several numbers of a multiplexor",
                "Reply.Speed": "its frame has requests or replies of diagnostics",
                "NoMark.Lost": "the identifier of its frame has more than 11 bits, without the mark of 29",
                "Plain.Long": "its 600 bits at bit 8 cannot be written as a formula",
                "EEC1.Real": "it is a floating-point number",
                "VECTOR__INDEPENDENT_SIG_MSG.Nobody": "no node sends it",
                "Wide.FD": "its frame is one of CAN FD, with 64 bytes",
            ]
        )
        let parameters = try Self.parameters(of: set)
        #expect(Set(parameters.keys) == Set(names))
        #expect(parameters["mode"]?.field.labels == [0: "off", 1: "on; really", 3: "error"])
        #expect(parameters["engine_1_engine_speed"]?.field.labels.isEmpty == true)
        #expect(parameters["torque"]?.field.symbol == "N·m" && parameters["counter40"]?.field.symbol == "°C")
        #expect(parameters["first"]?.frame?.description == "frame 18FEF100 m1")
        #expect(parameters["third"]?.frame?.description == "frame 18FEF000 m3")
        #expect(parameters["page"]?.frame?.multiplex == nil)
    }

    /// Returns the raw number of a signal, bit by bit, as the format counts bits.
    private static func number(_ data: [UInt8], _ start: Int, _ length: Int, little: Bool, signed: Bool) -> Double {
        func bit(_ index: Int) -> Int64 { Int64(data[index / 8] >> UInt8(index % 8) & 1) }
        var raw: Int64 = 0
        var index = start
        for place in 0..<length {
            if little {
                raw |= bit(start + place) << Int64(place)
            } else {
                raw = raw << 1 | bit(index)
                // After the lowest bit of a byte comes the highest of the next one.
                index = index % 8 == 0 ? index + 15 : index - 1
            }
        }
        return Double(signed && raw >= 1 << Int64(length - 1) ? raw - 1 << Int64(length) : raw)
    }

    @Test("Every place, length, order and sign of bits is read as the format defines it", arguments: [true, false])
    func bits(little: Bool) throws {
        var numbers = SystemRandomNumberGenerator()
        var count = 0
        for length in 1...48 {
            for start in 0..<64 {
                let last = little ? start + length - 1 : start / 8 * 8 + 7 - start % 8 + length - 1
                guard last < 64 else { continue }
                for sign in ["+", "-"] {
                    let text = "BO_ 1 F: 8 A\n SG_ s : \(start)|\(length)@\(little ? 1 : 0)\(sign) (1,0) [0|0] \"\" B\n"
                    let set = try DBCImport(Array(text.utf8))
                    guard let entry = set.imported.first else {
                        // A little-endian number that spans seven bytes has none.
                        #expect(little && (start % 8 + length + 7) / 8 > 6)
                        continue
                    }
                    let formula = try Formula(entry.formula)
                    for _ in 0..<4 {
                        let data = (0..<8).map { _ in UInt8.random(in: 0...255, using: &numbers) }
                        let expected = Self.number(data, start, length, little: little, signed: sign == "-")
                        #expect(formula.evaluate(data.span) == expected, "\(entry.formula) \(data)")
                        count += 1
                    }
                }
            }
        }
        #expect(count > 10_000)
    }

    @Test("Single frames are taken by name or by identifier")
    func chosen() throws {
        #expect(
            try DBCImport(Array(Self.file.utf8), frames: ["EEC1"]).imported.map(\.name) == ["page", "first", "second"]
        )
        #expect(try DBCImport(Array(Self.file.utf8), frames: ["0C9"]).imported.count == 5)
        #expect(try DBCImport(Array(Self.file.utf8), frames: ["nothing"]).imported.isEmpty)
        let some = try DBCImport(Array(Self.file.utf8), frames: ["EEC1", "Engine1", "0c9"])
        #expect(some.missing == ["Engine1"] && some.frameNames.first == "Engine_1")
    }

    @Test(
        "A mistake names the line",
        arguments: [
            ("BO_ 1 F 8 A\n", "line 1: expected BO_ NUMBER NAME: BYTES SENDER"),
            ("\n SG_ a : 0|8@1+ (1,0) [0|0] \"\" B\n", "line 2: expected BO_ before the first SG_"),
            ("BO_ 1 F: 8 A\n SG_ a : 0|8@2+ (1,0) [0|0] \"\" B\n", "line 2: expected SG_ NAME : START|LENGTH@ORDER"),
            ("BO_ 1 F: 8 A\n SG_ a : 0|8@1+ (1,x) [0|0] \"\" B\n", "line 2: expected SG_ NAME : START|LENGTH@ORDER"),
            ("BO_ 1 F: 8 A\nCM_ \"no end\nBO_ 2 G: 8 A\n", "line 2: expected the end of the text in quotation marks"),
            ("VERSION \"\"\n", "the file has no line that begins with BO_, so it is no DBC file"),
        ]
    )
    func mistakes(text: String, message: String) {
        let error = #expect(throws: SignalSetError.self) { try DBCImport(Array(text.utf8)) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }

    @Test("Units in Latin-1, and bytes that mean nothing, end nothing")
    func bytes() throws {
        let unit =
            Array("BO_ 1 F: 8 A\r\n SG_ t : 0|8@1+ (1,-40) [0|0] \"".utf8) + [0xB0, 0x43] + Array("\" B\r\n".utf8)
        #expect(try DBCImport(unit).imported.first?.unit == "°C")
        var numbers = SystemRandomNumberGenerator()
        let whole = Array(Self.file.utf8)
        for _ in 0..<300 {
            var damaged = whole
            for _ in 0..<5 {
                damaged[Int.random(in: 0..<whole.count, using: &numbers)] = .random(in: 0...255, using: &numbers)
            }
            // Whatever is imported, the configuration takes.
            if let set = try? DBCImport(damaged), !set.imported.isEmpty {
                #expect(throws: Never.self) { try Self.parameters(of: set) }
            }
        }
        #expect(DBCImport.isDBC(whole) && !DBCImport.isDBC(Array(" {\"commands\": []}".utf8)))
    }
}
