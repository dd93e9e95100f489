// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A value behind a POSIX mutex.
///
/// `Synchronization.Mutex` is not used: on Linux, the thread sanitizer does not see it and reports false races.
@safe
package final class Locked<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The value, allocated outside the object, so that Swift makes no exclusivity check at each access.
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

    /// Runs `body` with exclusive access to the value; must not be called from `body`.
    ///
    /// The function is inlinable: a caller in another module would otherwise pay for type lookups at run time.
    @inlinable package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result)
        throws(Failure)
        -> Result
    {
        unsafe pthread_mutex_lock(self.mutex)
        defer { unsafe pthread_mutex_unlock(self.mutex) }
        return try unsafe body(&self.value.pointee)
    }
}
