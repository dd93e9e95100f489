// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Texts and their canonical values, see ``TOML/TOMLValue/canonical``.
enum Vectors {
    static let keys = [
        ("", "{}"), ("\n\r\n \t\n# only\n#", "{}"), ("a=1", "{a:1}"), ("a = 1 # b = 2\r\n", "{a:1}"),
        ("1 = 1\n-_ = 2\n1.2 = 3", "invalid"), ("1.2 = 3\n-_ = 4", "{-_:4,1:{2:3}}"),
        ("\"a b\" . 'c\"' = 1", "{a%20b:{c%22:1}}"), ("\"\" = 1\n'\\u' = 2", "{%5Cu:2,:1}"),
        ("\"\\u0061\" = 1\na = 2", "invalid"), ("é = 1", "invalid"), ("\"é\" = 1", "{%C3%A9:1}"),
        // Different names that look the same.
        ("\"é\" = 1\n\"e\u{301}\" = 2", "{%C3%A9:1,e%CC%81:2}"),
        ("= 1", "invalid"), ("a", "invalid"), ("a =", "invalid"), ("a = 1 b = 2", "invalid"), ("a. = 1", "invalid"),
        (".a = 1", "invalid"), ("a..b = 1", "invalid"), ("a\n= 1", "invalid"), ("\"\"\"a\"\"\" = 1", "invalid"),
        ("a b = 1", "invalid"), ("a = 1\ra = 2", "invalid"), ("a = 1 # \r", "invalid"), ("a = 1 # \u{0}", "invalid"),
        ("a = 1 # \u{7F}", "invalid"), ("\u{FEFF}a = 1", "{a:1}"), ("a = 1\n\u{FEFF}b = 2", "invalid"),
    ]

    static let numbers = [
        ("0", "0"), ("+0", "0"), ("-0", "0"), ("1_2_3", "123"), ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775807", "9223372036854775807"), ("9223372036854775808", "invalid"), ("0xAf_0", "2800"),
        ("0x7fffffffffffffff", "9223372036854775807"), ("0x8000000000000000", "invalid"), ("0o17", "15"),
        ("0b1_0", "2"), ("0x", "invalid"), ("+0x1", "invalid"), ("0X1", "invalid"), ("0o8", "invalid"),
        ("0b2", "invalid"), ("0x_1", "invalid"), ("0x1_", "invalid"), ("01", "invalid"), ("0_1", "invalid"),
        ("_1", "invalid"), ("1_", "invalid"), ("1__2", "invalid"), ("--1", "invalid"), ("1 2", "invalid"),
        ("1.0", "f3ff0000000000000"), ("-0.0", "f8000000000000000"), ("1e0_0", "f3ff0000000000000"),
        ("10_0.5E-1", "f402419999999999a"), ("1e400", "f7ff0000000000000"), ("-inf", "ffff0000000000000"),
        ("+inf", "f7ff0000000000000"), ("nan", "nan"), ("-nan", "nan"), ("Inf", "invalid"), (".5", "invalid"),
        ("5.", "invalid"), ("5.e1", "invalid"), ("1.e", "invalid"), ("1e", "invalid"), ("1e1.5", "invalid"),
        ("1._5", "invalid"), ("01.5", "invalid"), ("1.5.5", "invalid"), ("true", "true"), ("false", "false"),
        ("TRUE", "invalid"), ("+true", "invalid"), ("truefalse", "invalid"), ("yes", "invalid"),
    ]

    static let moments = [
        ("1979-05-27", "moment"), ("1979-05-27T07:32:00", "moment"), ("1979-05-27 07:32:00.123456789", "moment"),
        ("1979-05-27t07:32:00z", "moment"), ("1979-05-27T07:32:00-23:59", "moment"), ("00:00:00", "moment"),
        ("23:59:59.9", "moment"), ("2000-02-29", "moment"), ("2024-02-29", "moment"), ("1900-02-29", "invalid"),
        // Python refuses these two.
        ("1990-12-31T23:59:60Z", "moment"), ("0000-01-01", "moment"),
        ("2023-02-29", "invalid"), ("2023-04-31", "invalid"), ("2023-00-01", "invalid"), ("2023-13-01", "invalid"),
        ("2023-01-00", "invalid"), ("2023-1-01", "invalid"), ("12023-01-01", "invalid"), ("24:00:00", "invalid"),
        ("00:60:00", "invalid"), ("00:00:61", "invalid"), ("00:00", "invalid"), ("00:00:00.", "invalid"),
        ("00:00:00Z", "invalid"), ("1979-05-27T", "invalid"), ("1979-05-27T07", "invalid"),
        ("1979-05-27  07:32:00", "invalid"), ("1979-05-27T07:32:00+24:00", "invalid"),
        ("1979-05-27T07:32:00+00:60", "invalid"), ("1979-05-27T07:32:00+0000", "invalid"), ("1979-05-27 7", "invalid"),
        ("197A-0=-2a 9", "invalid"), ("[1979-05-27 , 07:32:00]", "[moment,moment]"),
    ]

    static let texts = [
        (#""""#, "''"), ("''", "''"), (#""a\tb\n\"\\\b\f\r""#, "'a%09b%0A%22%5C%08%0C%0D'"), ("'a\\tb'", "'a%5Ctb'"),
        (#""\u00e9\U0001f600\u0000""#, "'%C3%A9%F0%9F%98%80%00'"), (#""\uD800""#, "invalid"),
        (#""\U00110000""#, "invalid"), (#""\U0010FFFF""#, "'%F4%8F%BF%BF'"), (#""\u12""#, "invalid"),
        (#""\u12G4""#, "invalid"), (#""\x41""#, "invalid"), (#""\e""#, "invalid"), (#""\ ""#, "invalid"),
        (#""\"#, "invalid"), (#""a"#, "invalid"), ("'a", "invalid"), ("\"a\nb\"", "invalid"), ("'a\nb'", "invalid"),
        ("\"a\tb\"", "'a%09b'"), ("\"a\u{1F}\"", "invalid"), ("'a\u{7F}'", "invalid"), ("\"a\rb\"", "invalid"),
        ("\"a\\\n\"", "invalid"), ("\"\u{80}\u{2028}\"", "'%C2%80%E2%80%A8'"), ("\"a\"b", "invalid"),
        ("\"\"\"\"\"\"", "''"), ("''''''", "''"), ("\"\"\"\na\r\n b\"\"\"", "'a%0A%20b'"), ("'''\n\na'''", "'%0Aa'"),
        ("\"\"\"a\"\"b\"\"\"", "'a%22%22b'"), ("\"\"\"a\"\"\"\"\"", "'a%22%22'"), ("\"\"\"\"\"a\"\"\"", "'%22%22a'"),
        ("\"\"\"a\"\"\"\"\"\"", "invalid"), ("''''a''''", "'%27a%27'"), ("'''a''''''", "invalid"),
        ("\"\"\"a\\\n  \n\t b\"\"\"", "'ab'"), ("\"\"\"a\\  \r\n\r\n\"\"\"", "'a'"), ("\"\"\"a\\ b\"\"\"", "invalid"),
        ("\"\"\"\\\\\n\"\"\"", "'%5C%0A'"), ("\"\"\"a\\\"\"\"\"", "'a%22'"), ("\"\"\"a\rb\"\"\"", "invalid"),
        ("'''a\u{0}'''", "invalid"), ("\"\"\"a", "invalid"), ("\"\"\"a\"\"", "invalid"), ("'''a\\", "invalid"),
        ("\"\"\"a\\", "invalid"), ("\"\"\"a\\  ", "invalid"),
    ]

    static let nested = [
        ("[]", "[]"), ("[ ]", "[]"), ("[1,2]", "[1,2]"), ("[1,2,]", "[1,2]"), ("[\n1\r\n,# a\n\n2 , # b ]\n]", "[1,2]"),
        ("[1, \"a\", [true], {}]", "[1,'a',[true],{}]"), ("[,]", "invalid"), ("[1,,2]", "invalid"),
        ("[1 2]", "invalid"),
        ("[1", "invalid"), ("[1,", "invalid"), ("[1}", "invalid"), ("[1]]", "invalid"), ("[1\r2]", "invalid"),
        ("[a=1]", "invalid"), ("[1 # \u{1}\n]", "invalid"),
        ("{}", "{}"), ("{ }", "{}"), ("{a=1,b=2}", "{a:1,b:2}"), ("{ a . b = 1 , a.c = [\n2] }", "{a:{b:1,c:[2]}}"),
        ("{a={b={}}}", "{a:{b:{}}}"), ("{a=1,}", "invalid"), ("{,}", "invalid"), ("{a=1 b=2}", "invalid"),
        ("{a=1,a=2}", "invalid"), ("{a=1,a.b=2}", "invalid"), ("{a={},a.b=2}", "invalid"), ("{a.b=1,a={}}", "invalid"),
        ("{a=[{}],a.b=1}", "invalid"), ("{\n}", "invalid"), ("{a=1\n}", "invalid"), ("{a=1,\nb=2}", "invalid"),
        ("{a=1 # b\n}", "invalid"), ("{a}", "invalid"), ("{a=}", "invalid"), ("{a=1", "invalid"), ("{a=1}}", "invalid"),
        ("{a=1]", "invalid"), ("{a.b.c=1,a.b.d=2,a.e=3}", "{a:{b:{c:1,d:2},e:3}}"),
    ]

    static let tables = [
        ("[a]\nb=1\n[c]", "{a:{b:1},c:{}}"), ("[ a . \"b c\" ]", "{a:{b%20c:{}}}"), ("[a] # b\nc=1", "{a:{c:1}}"),
        ("[]", "invalid"), ("[a", "invalid"), ("[a]]", "invalid"), ("[a.]", "invalid"), ("[.a]", "invalid"),
        ("[a] b=1", "invalid"), ("[a\n]", "invalid"), ("[[a]", "invalid"), ("[[a] ]", "invalid"), ("[ [a]]", "invalid"),
        ("[[]]", "invalid"), ("[a b]", "invalid"), ("[a]\n[a]", "invalid"), ("a=1\n[a]", "invalid"),
        ("a=1\n[a.b]", "invalid"), ("a={}\n[a.b]", "invalid"), ("a={}\na.b=1", "invalid"), ("a=[{}]\n[[a]]", "invalid"),
        ("a=[]\n[[a]]", "invalid"), ("a=[{}]\n[a.b]", "invalid"),
        ("[a.b]\n[a]\nc=1", "{a:{b:{},c:1}}"), ("[a.b]\n[a]\n[a]", "invalid"), ("[a.b]\n[a]\nb=1", "invalid"),
        ("[a.b]\n[a]\nb.c=1", "invalid"), ("[a.b.c]\n[a]\nb.d=1", "{a:{b:{c:{},d:1}}}"),
        ("[a.b.c]\n[a]\nb.d=1\n[a.b]", "invalid"), ("[a.b.c]\n[a]\nb.c.d=1", "invalid"),
        ("[a]\nb.c=1\nb.d=2", "{a:{b:{c:1,d:2}}}"), ("[a]\nb.c=1\n[a.b]", "invalid"),
        ("[a]\nb.c=1\n[a.b.d]\ne=1", "{a:{b:{c:1,d:{e:1}}}}"), ("a.b=1\n[a]", "invalid"),
        ("a.b=1\n[a.c]", "{a:{b:1,c:{}}}"), ("a=1\na.b=1", "invalid"), ("a.b=1\na=1", "invalid"),
        ("[a]\n[a.b]\n[c]\n[a.d]", "{a:{b:{},d:{}},c:{}}"),
        ("[[a]]\nb=1\n[[a]]\nb=2", "{a:[{b:1},{b:2}]}"), ("[[a]]\n[a.b]\n[[a]]\n[a.b]", "{a:[{b:{}},{b:{}}]}"),
        ("[[a]]\n[a.b]\n[a.b]", "invalid"), ("[[a]]\n[[a.b]]\n[[a.b]]\n[[a]]", "{a:[{b:[{},{}]},{}]}"),
        ("[[a]]\n[a]", "invalid"), ("[a]\n[[a]]", "invalid"), ("[a.b]\n[[a]]", "invalid"), ("a.b=1\n[[a]]", "invalid"),
        ("[[a.b]]\n[a]\nc=1", "{a:{b:[{}],c:1}}"), ("[[a.b]]\n[a]\nb.c=1", "invalid"),
        ("[[a]]\n[b]\n[a.c]", "{a:[{c:{}}],b:{}}"),
    ]
}
