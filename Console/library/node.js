// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// What the library expects of Node.js to be there without asking.

import { Buffer } from "buffer";

const process = {
    title: "browser",
    browser: true,
    env: {},
    nextTick: (task, ...rest) => queueMicrotask(() => task(...rest)),
};

export { Buffer, process };
