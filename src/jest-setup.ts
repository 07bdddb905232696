import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import { requireNode } from "./kernel/require-node.ts";
import { installJest } from "./matchers/session/install-jest.ts";

requireNode();
installJest({ expect, beforeAll, afterEach, afterAll });
