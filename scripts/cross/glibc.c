// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0
//
// Functions of newer C libraries that sid's static Swift libraries call and Debian 12's (glibc 2.36) does not have.
// cross-arm64 links them into the programs. scripts/checks/symbols finds what is missing here.
// gnu11 keeps strtol and its like the plain ones, which glibc 2.36 has.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL __attribute__((visibility("hidden")))

// C23's functions differ in one thing: they read "0b" with base 0 or 2. Nothing here asks for that.
LOCAL long __isoc23_strtol(const char *text, char **end, int base) {
    return strtol(text, end, base);
}

LOCAL long long __isoc23_strtoll(const char *text, char **end, int base) {
    return strtoll(text, end, base);
}

LOCAL unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
    return strtoul(text, end, base);
}

LOCAL unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
    return strtoull(text, end, base);
}

LOCAL int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}

// Copies what fits, ends it with a zero, and returns the length of the source.
LOCAL size_t strlcpy(char *to, const char *from, size_t size) {
    size_t length = strlen(from);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(to, from, copied);
        to[copied] = 0;
    }
    return length;
}
