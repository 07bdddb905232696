import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import { requireNode } from "./base/require-node.ts";
import { installJest } from "./session/install-jest.ts";

requireNode();
installJest({ expect, beforeAll, afterEach, afterAll });
