import { setUpVitest } from "./set-up-vitest.ts";
import "./vitest-types.ts";

// Also what makes the declaration file a module: without an export its `declare global` would be ignored.
export type { BaselineMatchers } from "./matcher-types.ts";

await setUpVitest({ serializer: false });
