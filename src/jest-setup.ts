import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import { installJest } from "./session/install-jest.ts";

installJest({ expect, beforeAll, afterEach, afterAll });
