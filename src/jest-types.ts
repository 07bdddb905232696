import type { MatchersFor } from "./typed-matchers.ts";

declare module "expect" {
  // Both type parameters must be declared as Jest declares them.
  interface Matchers<R extends void | Promise<void>, T = unknown> extends MatchersFor<R, T> {}
}

declare global {
  namespace jest {
    interface Matchers<R, T = {}> extends MatchersFor<R, T> {}
  }
}
