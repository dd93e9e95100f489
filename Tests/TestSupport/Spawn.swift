// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The error of a failed system call.
package struct SystemError: Error, CustomStringConvertible {
    package let description: String

    init(_ call: String, _ number: Int32 = errno) {
        self.description = "\(call): \(unsafe String(cString: strerror(number)))"
    }
}

/// A pipe whose ends are not inherited by child processes.
struct Pipe {
    let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (self.reader, self.writer) = (ends[0], ends[1])
    }

    func closeWriter() {
        close(self.writer)
    }
}

/// Runs `body` on its own thread, for calls that block.
func startThread(_ body: @escaping @Sendable () -> Void) throws {
    let context = unsafe Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
        &thread,
        nil,
        { context in
            guard let context = unsafe context else { return nil }
            unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            return nil
        },
        context.toOpaque()
    )
    guard code == 0 else {
        unsafe context.release()
        throw SystemError("pthread_create", code)
    }
    pthread_detach(thread)
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Returns the lines from `descriptor`, which is read to its end and then closed.
func lines(from descriptor: Int32) throws -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(100_000))
    try startThread {
        var line: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in bytes[..<count] {
                if byte == UInt8(ascii: "\n") {
                    continuation.yield(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }
        if !line.isEmpty { continuation.yield(String(decoding: line, as: UTF8.self)) }
        continuation.finish()
        close(descriptor)
    }
    return stream
}

/// Starts a process with these descriptors as its output and error, and no other descriptor of this process.
func spawn(
    _ program: Program,
    _ arguments: [String],
    _ environment: [String: String]?,
    _ output: Int32,
    _ errors: Int32
) throws -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
    try unsafe closeAllOthers(&actions)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let argumentList = unsafe ([program.path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe argumentList.forEach { unsafe free($0) } }
    let environmentList = unsafe environment.map { variables in
        unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    }
    defer { unsafe environmentList?.forEach { unsafe free($0) } }

    var processID: pid_t = 0
    let code =
        if let environmentList = unsafe environmentList {
            unsafe posix_spawn(&processID, program.path, &actions, &attributes, argumentList, environmentList)
        } else {
            unsafe posix_spawn(&processID, program.path, &actions, &attributes, argumentList, environ)
        }
    guard code == 0 else { throw SystemError(program.path, code) }
    return processID
}

/// Closes all other descriptors in the child.
///
/// The child would otherwise keep sockets open that the test has closed. The C library's module lacks its GNU
/// functions, so the function is looked up at run time.
private func closeAllOthers(_ actions: inout posix_spawn_file_actions_t) throws {
    typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    guard let symbol = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
        throw SystemError("posix_spawn_file_actions_addclosefrom_np", ENOSYS)
    }
    let closeFrom = unsafe unsafeBitCast(symbol, to: CloseFrom.self)
    let code = unsafe closeFrom(&actions, 3)
    guard code == 0 else { throw SystemError("posix_spawn_file_actions_addclosefrom_np", code) }
}
