// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Calls `body` with texts as C has them: an array of pointers, and a null pointer for each nil and after the last one.
@unsafe
func withCStrings<Result>(_ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
    let copies = unsafe texts.map { text in unsafe text.flatMap { unsafe strdup($0) } }
    defer { unsafe copies.forEach { unsafe free($0) } }
    let pointers = unsafe copies.map { copy in unsafe copy.map { unsafe UnsafePointer<CChar>($0) } } + [nil]
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
}
