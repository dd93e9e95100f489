// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#include <sqlite3.h>

/// Switches an option of a connection on or off; sqlite3_db_config, which takes any number of arguments, does not import
/// into Swift.
static inline int CSQLite_set(sqlite3 *connection, int option, int is_on) {
    return sqlite3_db_config(connection, option, is_on, (int *)0);
}
