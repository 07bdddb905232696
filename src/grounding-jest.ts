import { expect } from "@jest/globals";
import { createGroundingMatchers } from "./grounding/matchers/create-grounding-matchers.ts";
import "./grounding/matchers/jest-types.ts";

export type { GroundingMatchers } from "./grounding/matchers/create-grounding-matchers.ts";

expect.extend({ ...createGroundingMatchers((warning) => process.emitWarning(warning, "GroundingWarning")) });
