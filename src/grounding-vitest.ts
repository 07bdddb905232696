import { expect } from "vitest";
import { createGroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";
import "./extras/grounding/matchers/vitest-types.ts";

// Also what makes the declaration file a module: without an export its `declare global` would be ignored.
export type { GroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";

expect.extend({ ...createGroundingMatchers((warning) => process.emitWarning(warning, "GroundingWarning")) });
