// Everything that Vitest's set-up files need, in one file that Node loads: see INSTALLER in lazy-parts.ts.
import { EXTRA_MATCHERS } from "./extra-matchers.ts";
import { type VitestModule, type VitestSuiteModule, followVitest } from "./matchers/session/install-vitest.ts";

export type { VitestModule, VitestSuiteModule };
export { type SerializerTaker, addSerializer } from "./matchers/serializer/add-serializer.ts";

/** Adds the matchers of the core and of the extras to Vitest's `expect`, and follows every test from start to end. */
export function installVitest(vitest: VitestModule, suiteModule: VitestSuiteModule | undefined): void {
  followVitest(vitest, suiteModule, EXTRA_MATCHERS);
}
