import { expect } from "@jest/globals";
import { createGroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";
import "./extras/grounding/matchers/jest-types.ts";

export type { GroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";

expect.extend({ ...createGroundingMatchers((warning) => process.emitWarning(warning, "GroundingWarning")) });
