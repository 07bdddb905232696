import { expect } from "vitest";
import { groundingMatchersFor } from "./extras/grounding/matchers/create-grounding-matchers.ts";
import "./extras/grounding/matchers/vitest-types.ts";

// This export also makes the declaration file a module. Without it, TypeScript would ignore `declare global`.
export type { GroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";

expect.extend({ ...groundingMatchersFor(expect, "Add veritest/vitest to setupFiles.") });
