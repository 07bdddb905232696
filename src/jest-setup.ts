import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import { EXTRA_MATCHERS } from "./extra-matchers.ts";
import { requireNode } from "./kernel/require-node.ts";
import { installJest } from "./matchers/session/install-jest.ts";

requireNode();
installJest({ expect, beforeAll, afterEach, afterAll }, EXTRA_MATCHERS);
