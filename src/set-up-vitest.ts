import { processEnvironment } from "./kernel/environment.ts";
import { setPlaceholderKeys } from "./kernel/placeholder-keys.ts";
import { requireNode } from "./kernel/require-node.ts";
import {
  type SerializerTaker,
  type VitestModule,
  type VitestSuiteModule,
  addSerializer,
  installVitest,
} from "./install-vitest.ts";

/** Vitest's module as far as a set-up file uses it. */
interface Vitest extends VitestModule {
  readonly expect: VitestModule["expect"] & SerializerTaker;
}

/** Adds the matchers to the Vitest that runs this file, and the serializer if requested. */
export async function setUpVitest({ serializer }: { readonly serializer: boolean }): Promise<void> {
  requireNode();
  setPlaceholderKeys(processEnvironment());
  // With `globals: true` it may not be imported yet, and importing it is a third of the cost of this set-up for a test
  // file.
  const vitest = globalVitest() ?? (await import("vitest"));
  // Vitest 4.1 and newer wrap tests themselves; before that their functions are reached by a module 5 no longer has.
  installVitest(vitest, "aroundEach" in vitest ? undefined : await loadSuiteModule("vitest/suite"));
  if (serializer) addSerializer(vitest.expect);
}

/** Vitest's global functions; undefined without them, and for older versions, whose globals are incomplete. */
function globalVitest(): Vitest | undefined {
  const all: object = globalThis;
  if (!isVitest(all)) return undefined;
  // Not the global object itself: a test may replace them.
  const { expect, beforeAll, beforeEach, afterEach, afterAll, aroundEach } = all;
  return { expect, beforeAll, beforeEach, afterEach, afterAll, aroundEach };
}

function isVitest(value: object): value is Required<Vitest> {
  const names = ["beforeAll", "beforeEach", "afterEach", "afterAll", "aroundEach"];
  if (!names.every((name) => typeof Reflect.get(value, name) === "function")) return false;
  const expect: unknown = Reflect.get(value, "expect");
  return (
    typeof expect === "function" &&
    ["extend", "getState", "addSnapshotSerializer"].every((name) => typeof Reflect.get(expect, name) === "function")
  );
}

async function loadSuiteModule(name: string): Promise<VitestSuiteModule | undefined> {
  // Vite, which loads this file for the plugin, finds Vitest from the project's root. Node finds it from this file, and
  // fails if a workspace's Vitest is in a package's node_modules and veritest in the root's. The first doesn't work in
  // the vm pools of Vitest 4.0, the second in none of the other pools of such a workspace.
  const { importModule } = await import("./matchers/lazy/import-module.ts");
  const loaded = await importModule(name).catch(() => import(name));
  return isSuiteModule(loaded) ? loaded : undefined;
}

function isSuiteModule(value: unknown): value is VitestSuiteModule {
  return typeof value === "object" && value !== null && "getFn" in value && "setFn" in value;
}
