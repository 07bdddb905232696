import { expect } from "vitest";
import { createGroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";
import "./extras/grounding/matchers/vitest-types.ts";

// This export also makes the declaration file a module. Without it, TypeScript would ignore `declare global`.
export type { GroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";

const matchers = createGroundingMatchers(
  (warning) => process.emitWarning(warning, "GroundingWarning"),
  async (step, options) => {
    const matcher: unknown = Reflect.get(expect(step), "toMatchBaseline");
    if (typeof matcher !== "function")
      throw new TypeError(`judge records by toMatchBaseline. Add veritest/vitest to setupFiles.`);
    await Reflect.apply(matcher, expect(step), [options]);
  },
);

expect.extend({ ...matchers });
