// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
