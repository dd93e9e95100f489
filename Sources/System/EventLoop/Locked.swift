// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A value behind a POSIX mutex.
///
/// Not `Synchronization.Mutex`: the thread sanitizer does not see that one on Linux, and reports races where none are.
@safe
package final class Locked<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Apart from the object: with the mutex held, Swift need not prove at each access that nobody else has it.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        unsafe self.mutex = .allocate(capacity: 1)
        unsafe self.mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(self.mutex, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe pthread_mutex_destroy(self.mutex)
        unsafe self.mutex.deallocate()
        unsafe self.value.deinitialize(count: 1)
        unsafe self.value.deallocate()
    }

    /// Runs `body` while no other thread runs one; not to be called from within.
    ///
    /// Inlined, or every caller in another module pays for types that are looked up while it runs.
    @inlinable package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result)
        throws(Failure)
        -> Result
    {
        unsafe pthread_mutex_lock(self.mutex)
        defer { unsafe pthread_mutex_unlock(self.mutex) }
        return try unsafe body(&self.value.pointee)
    }
}
