import type { GroundingMatchers } from "./create-grounding-matchers.ts";

declare module "expect" {
  // Both type parameters must be declared as Jest declares them.
  interface Matchers<R extends void | Promise<void>, T = unknown> extends GroundingMatchers {}
}

declare global {
  namespace jest {
    interface Matchers<R, T = {}> extends GroundingMatchers {}
  }
}
