import { expect } from "@jest/globals";
import { createGroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";
import "./extras/grounding/matchers/jest-types.ts";

export type { GroundingMatchers } from "./extras/grounding/matchers/create-grounding-matchers.ts";

const matchers = createGroundingMatchers(
  (warning) => process.emitWarning(warning, "GroundingWarning"),
  async (step, options) => {
    const matcher: unknown = Reflect.get(expect(step), "toMatchBaseline");
    if (typeof matcher !== "function")
      throw new TypeError(`judge records by toMatchBaseline. Add veritest/jest to setupFilesAfterEnv.`);
    await Reflect.apply(matcher, expect(step), [options]);
  },
);

expect.extend({ ...matchers });
