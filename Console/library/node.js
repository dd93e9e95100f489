// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The globals of Node.js that the library expects.

import { Buffer } from "buffer";

const process = {
    title: "browser",
    browser: true,
    env: {},
    nextTick: (task, ...rest) => queueMicrotask(() => task(...rest)),
};

export { Buffer, process };
