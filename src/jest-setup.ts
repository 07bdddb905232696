import { afterAll, afterEach, expect } from "@jest/globals";
import { installJest } from "./session/install-jest.ts";

installJest({ expect, afterEach, afterAll });
