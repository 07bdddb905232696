import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import { findUnused } from "./find-obsolete.ts";

test("reports a baseline that no test used, and marks it if a test file next to it didn't run", () => {
  const folder = temporaryProject("unused");
  const root = join(folder, "__baselines__");
  const [used, left] = ["a-11111111.json", "b-22222222.json"].map((name) => join(root, "step", name));
  for (const path of [used, left]) putBaseline(path ?? "", "{}");
  for (const name of ["a.test.ts", "b.test.ts", "helper.ts"]) writeFileSync(join(folder, name), "");
  const log = (file: string): TestFileLog => ({
    testPath: join(folder, file),
    root,
    checks: [{ test: "a", path: used ?? "", outcome: "clean" }],
    staged: [],
  });
  expect(findUnused([log("a.test.ts")])).toStrictEqual([{ path: left, allFilesRan: false }]);
  expect(findUnused([log("a.test.ts"), log("b.test.ts")])).toStrictEqual([{ path: left, allFilesRan: true }]);
});
