import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import { EXTRA_MATCHERS } from "./extra-matchers.ts";
import { processEnvironment } from "./kernel/environment.ts";
import { setPlaceholderKeys } from "./kernel/placeholder-keys.ts";
import { requireNode } from "./kernel/require-node.ts";
import { installJest } from "./matchers/session/install-jest.ts";

requireNode();
setPlaceholderKeys(processEnvironment());
installJest({ expect, beforeAll, afterEach, afterAll }, EXTRA_MATCHERS);
