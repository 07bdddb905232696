import { addTestsOfBaselines } from "../../baseline/tests-of-baselines.ts";

const RELATED = Symbol.for("veritest.related-tests");

/** Part of Jest's search for test files that depend on changed files, the same in Jest 29 and 30. */
interface SearchSource {
  findRelatedTests(paths: ReadonlySet<string>, collectCoverage: boolean): unknown;
}

/**
 * Has Jest run the tests of changed baselines with `--onlyChanged` and `--findRelatedTests`, as it does for `.snap`
 * files. Jest has no option for other files that a test reads. `modules` are the loaded modules of the main process, by
 * path. Does nothing if Jest's core isn't among them.
 */
export function relateBaselines(modules: Readonly<Record<string, NodeJS.Module | undefined>>): void {
  for (const [path, module] of Object.entries(modules)) {
    if (!/[\\/]@jest[\\/]core[\\/]build[\\/]index\.js$/.test(path)) continue;
    const source: unknown = Reflect.get(Object(Reflect.get(Object(module?.exports), "SearchSource")), "prototype");
    if (isSearchSource(source) && !Reflect.has(source, RELATED)) relateIn(source);
  }
}

function relateIn(source: SearchSource): void {
  const find: unknown = Reflect.get(source, "findRelatedTests");
  if (typeof find !== "function") return;
  source.findRelatedTests = function (paths, collectCoverage) {
    return Reflect.apply(find, this, [new Set(addTestsOfBaselines(paths)), collectCoverage]);
  };
  Reflect.set(source, RELATED, true);
}

function isSearchSource(value: unknown): value is SearchSource {
  return typeof Reflect.get(Object(value), "findRelatedTests") === "function";
}
