import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { executionIn, isLoaded, unexecutedCode } from "./executed-lines.ts";

/** Lines of a changed file that Node doesn't execute if it runs an entry, after the same code with `before`. */
function unexecuted(
  files: Readonly<Record<string, string>>,
  { before = "", options = "", entries = ["entry.mjs"] } = {},
): readonly string[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "executed-")));
  const coverage = join(folder, "coverage");
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  for (const entry of entries)
    execFileSync(process.execPath, [join(folder, entry)], {
      env: { ...process.env, NODE_V8_COVERAGE: coverage, NODE_OPTIONS: options },
      stdio: "pipe",
    });
  const execution = executionIn(coverage);
  expect(isLoaded(execution, folder, "entry.mjs")).toBe(true);
  const changed = Object.entries(files)
    .filter(([path]) => !path.startsWith("entry"))
    .map(([path, after]) => ({ path, before, after }));
  return unexecutedCode(execution, folder, changed).map(
    ({ path, line, detail }) => `${path}${line === undefined ? "" : `:${line}`}: ${detail}`,
  );
}

const SIGN = `// The sign of a number.
export function sign(x) {
  if (x < 0) {
    return "minus";
  }
  return x > 9 ? "high" : "low";
}
`;

test("finds branches and functions that no process executed", () => {
  const more = `${SIGN}export const half = (x) => {\n  return x / 2;\n};\n`;
  expect(unexecuted({ "sign.mjs": more, "entry.mjs": 'import { sign } from "./sign.mjs";\nsign(1);\n' })).toStrictEqual(
    [
      'sign.mjs:4: no test executes this code: return "minus";',
      'sign.mjs:6: no test executes this code: return x > 9 ? "high" : "low";',
      "sign.mjs:8: no test executes this code: export const half = (x) => {",
    ],
  );
});

test("joins what several processes executed", () => {
  const files = {
    "sign.mjs": SIGN,
    "entry.mjs": 'import { sign } from "./sign.mjs";\nsign(1);\nsign(-1);\n',
    "entry-2.mjs": 'import { sign } from "./sign.mjs?again";\nsign(10);\n',
  };
  expect(unexecuted(files, { entries: ["entry.mjs", "entry-2.mjs"] })).toStrictEqual([]);
});

test("ignores lines that moved, and files without code to execute", () => {
  const files = {
    "sign.mjs": SIGN,
    "types.ts": 'import type { A } from "./a.ts";\nexport interface B {\n  a: A;\n}\nexport type C = B[];\n',
    "types.d.ts": "declare const x: number;\n",
    "view.tsx": "export const view = 1;\n",
    "index.mjs": 'export * from "./sign.mjs";\n',
    "entry.mjs": "console.log();",
  };
  expect(unexecuted(files, { before: SIGN })).toStrictEqual([]);
});

test("finds a file that no test loads", () => {
  expect(unexecuted({ "sign.mjs": SIGN, "entry.mjs": "console.log();" })).toStrictEqual([
    "sign.mjs: no test loads this file, whose code changed",
  ]);
});

test("finds the lines of code that Node compiled", () => {
  const text = `export enum Kind {
  Low = "low",
}

interface Wide {
  x: number;
}

export function sign({ x }: Wide): string {
  if (x < 0) {
    return "minus";
  }
  return Kind.Low;
}
`;
  const files = { "sign.mts": text, "entry.mjs": 'import { sign } from "./sign.mts";\nsign({ x: 1 });\n' };
  expect(unexecuted(files, { options: "--experimental-transform-types" })).toStrictEqual([
    'sign.mts:11: no test executes this code: return "minus";',
  ]);
});
