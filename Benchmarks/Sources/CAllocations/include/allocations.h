// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

/// How often memory was asked for since the start of the program.
unsigned long allocation_count(void);

#endif
