import type { GroundingMatchers } from "./create-grounding-matchers.ts";

declare global {
  // The only augmentation that Vitest 3.2, 4 and 5 all read, with and without skipLibCheck.
  namespace Chai {
    interface Assertion extends GroundingMatchers {}
  }
}
