import * as vitest from "vitest";
import { type VitestSuiteModule, installVitest } from "./session/install-vitest.ts";
import "./matchers/vitest-types.ts";

// Vitest 4.1 and newer wrap tests themselves; before that their functions are reached by a module 5 no longer has.
const suiteModule = "aroundEach" in vitest ? undefined : await loadSuiteModule("vitest/suite");
installVitest(vitest, suiteModule);

async function loadSuiteModule(name: string): Promise<VitestSuiteModule | undefined> {
  const loaded: unknown = await import(name);
  return isSuiteModule(loaded) ? loaded : undefined;
}

function isSuiteModule(value: unknown): value is VitestSuiteModule {
  return typeof value === "object" && value !== null && "getFn" in value && "setFn" in value;
}
