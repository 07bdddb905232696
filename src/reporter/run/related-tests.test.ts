import { mkdirSync, writeFileSync } from "node:fs";
import { Module } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import { relateBaselines } from "./related-tests.ts";

class SearchSource {
  readonly tests = new Set<string>();
  findRelatedTests(paths: ReadonlySet<string>, _coverage: boolean): readonly string[] {
    return [...this.tests, ...paths];
  }
}

/** Loaded modules, of which one is the core of Jest. */
function modulesWith(exports: unknown): NodeJS.Dict<NodeJS.Module> {
  const path = "/p/node_modules/@jest/core/build/index.js";
  const core = new Module(path);
  core.exports = exports;
  return { "/p/other.js": undefined, [path]: core };
}

test("adds test files of changed baselines to Jest's search, even if the preset is evaluated twice", () => {
  const root = temporaryProject("related-tests");
  mkdirSync(join(root, "__baselines__", "a.test.js"), { recursive: true });
  writeFileSync(join(root, "a.test.js"), "");
  const modules = modulesWith({ SearchSource });
  relateBaselines(modules);
  relateBaselines(modules);
  const search = new SearchSource();
  search.tests.add("own");
  const path = join(root, "__baselines__", "a.test.js", "price.json");
  expect(search.findRelatedTests(new Set([path]), false)).toStrictEqual(["own", path, join(root, "a.test.js")]);
});

test.each([
  undefined,
  {},
  { SearchSource: {} },
  { SearchSource: class {} },
])("leaves a core of Jest without such a search unchanged: %j", (exports) => {
  expect(() => {
    relateBaselines(modulesWith(exports));
  }).not.toThrow();
});
