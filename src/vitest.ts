import * as vitest from "vitest";
import { type VitestSuiteModule, installVitest } from "./session/install-vitest.ts";
import "./matchers/vitest-types.ts";

// Also what makes the declaration file a module: without an export its `declare global` would be ignored.
export type { BaselineMatchers } from "./matchers/types.ts";

// Vitest 4.1 and newer wrap tests themselves; before that their functions are reached by a module 5 no longer has.
const suiteModule = "aroundEach" in vitest ? undefined : await loadSuiteModule("vitest/suite");
installVitest(vitest, suiteModule);

async function loadSuiteModule(name: string): Promise<VitestSuiteModule | undefined> {
  // Not from here: the plugin has Vite load this file, and Vite finds no `vitest/suite` in the vm pools of Vitest 4.0.
  const { importModule } = await import("./session/import-module.ts");
  const loaded = await importModule(name);
  return isSuiteModule(loaded) ? loaded : undefined;
}

function isSuiteModule(value: unknown): value is VitestSuiteModule {
  return typeof value === "object" && value !== null && "getFn" in value && "setFn" in value;
}
