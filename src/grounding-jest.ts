import { expect } from "@jest/globals";
import { groundingMatchersFor } from "./extras/grounding/matchers/create-grounding-matchers.ts";
import "./extras/grounding/matchers/jest-types.ts";

export type { GroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";

expect.extend({ ...groundingMatchersFor(expect, "Add veritest/jest to setupFilesAfterEnv.") });
