// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Recording {
    /// Returns the stored state of a vehicle's trips, as the agent has kept it.
    package func trips(of vehicle: String) throws(StoreError) -> [UInt8]? {
        try StoreError.wrapping { () throws(SQLiteError) in
            try VehicleTables(database: self.database).trips(of: vehicle)
        }
    }
}
