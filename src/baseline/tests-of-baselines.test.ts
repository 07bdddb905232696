import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import { groupDirectory } from "./baseline-paths.ts";
import { addTestsOfBaselines } from "./tests-of-baselines.ts";

/** A folder with test files, a helper, and the folders of baselines of a value and of a step. */
function folder(): string {
  const root = temporaryProject("tests-of-baselines");
  for (const group of ["a.test.ts", "triage", "men-12345678"])
    mkdirSync(join(root, "__baselines__", group), { recursive: true });
  writeFileSync(join(root, "a.test.ts"), "");
  writeFileSync(join(root, "b.llm.ts"), 'import { it } from "vitest";');
  writeFileSync(join(root, "helper.ts"), "export const one = 1;");
  return root;
}

test("adds the test file that a value's baseline is named after", () => {
  const root = folder();
  const path = join(root, "__baselines__", "a.test.ts", "price-0123abcd.json");
  expect(addTestsOfBaselines([path])).toStrictEqual([path, join(root, "a.test.ts")]);
});

test("adds the test file of a baseline if another file of its folder changed, too", () => {
  const root = folder();
  const group = join(root, "__baselines__", "a.test.ts");
  const paths = [join(group, "price-0123abcd.json"), join(group, "notes.txt")];
  expect(addTestsOfBaselines(paths)).toStrictEqual([...paths, join(root, "a.test.ts")]);
});

test("adds each test file next to a step's baseline once, and no other file", () => {
  const root = folder();
  const paths = ["one", "two"].map((name) => join(root, "__baselines__", "triage", `${name}.json`));
  expect(addTestsOfBaselines(paths)).toStrictEqual([...paths, join(root, "a.test.ts"), join(root, "b.llm.ts")]);
});

test.each([
  ["in both Unicode forms", "men\u00fc.test.ts".normalize("NFC"), "men\u00fc.test.ts".normalize("NFD")],
  ["in both Unicode forms, reversed", "caf\u00e9.spec.js".normalize("NFD"), "caf\u00e9.spec.js".normalize("NFD")],
])("matches a test file's name %s", (_what, name, onDisk) => {
  const root = temporaryProject("tests-of-baselines");
  writeFileSync(join(root, onDisk), "");
  const group = groupDirectory(name.normalize("NFC"));
  const path = join(root, "__baselines__", group, "soup.json");
  expect(addTestsOfBaselines([path])).toStrictEqual([path, join(root, onDisk)]);
});

test.each([
  "src/a.ts",
  "__baselines__/a.test.ts/.one.json.tmp",
  "__baselines__/notes.json",
  "snaps/a.test.ts/one.json",
])("adds no file for %s", (name) => {
  const path = join(folder(), name);
  expect(addTestsOfBaselines([path])).toStrictEqual([path]);
});

describe("away from the tests, as with a snapshot resolver", () => {
  /** A project whose baselines are in `recordings`, and its tests and step in `src`. */
  function project(): { root: string; baselineOf: (group: string, text?: string) => string } {
    const root = temporaryProject("tests-of-baselines");
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "package.json"), "{}");
    writeFileSync(join(root, "src", "a.test.ts"), "");
    writeFileSync(join(root, "src", "step.ts"), 'defineStep({ name: "Triage" });');
    const baselineOf = (group: string, text = "{}"): string => {
      const folder = join(root, "recordings", "__baselines__", group);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "one.json"), text);
      return join(folder, "one.json");
    };
    return { root, baselineOf };
  }

  test("adds the test file that a value's baseline is named after", () => {
    const { root, baselineOf } = project();
    const path = baselineOf("a.test.ts");
    expect(addTestsOfBaselines([path])).toStrictEqual([path, join(root, "src", "a.test.ts")]);
  });

  test("adds the source files that name a step, for which the runner finds the tests", () => {
    const { root, baselineOf } = project();
    const path = baselineOf("triage-12345678", '{ "step": "Triage" }');
    expect(addTestsOfBaselines([path])).toStrictEqual([path, join(root, "src", "step.ts")]);
  });

  test("adds the test file that a value's baseline is named after, and not an unrelated one next to it", () => {
    const { root, baselineOf } = project();
    const path = baselineOf("a.test.ts");
    writeFileSync(join(root, "recordings", "b.test.ts"), "");
    expect(addTestsOfBaselines([path])).toStrictEqual([path, join(root, "src", "a.test.ts")]);
  });

  test.each([
    ["names the step", 'resultOf("Triage");', []],
    ["imports a file that names it", 'import { triage } from "../src/step.js";', []],
    ["does neither", 'import { triage } from "#steps";', ["src/step.ts"]],
  ])("adds a test file next to a step's baseline, and sources unless it %s", (_what, text, sources) => {
    const { root, baselineOf } = project();
    const path = baselineOf("triage-12345678", '{ "step": "Triage" }');
    const nearby = join(root, "recordings", "b.test.ts");
    writeFileSync(nearby, text);
    expect(addTestsOfBaselines([path])).toStrictEqual([path, nearby, ...sources.map((name) => join(root, name))]);
  });

  test("reads the step from any baseline of the directory, because others may be deleted or have conflicts", () => {
    const { root, baselineOf } = project();
    const path = baselineOf("triage-12345678", '{ "step": "Triage" }');
    const [conflict, deleted] = [join(path, "..", "conflict.json"), join(path, "..", "deleted.json")];
    writeFileSync(conflict, '<<<<<<< HEAD\n{ "step": "Triage" }');
    const step = join(root, "src", "step.ts");
    for (const changed of [[path, deleted], [deleted, path, conflict], [conflict], [deleted]])
      expect(addTestsOfBaselines(changed)).toStrictEqual([...changed, step]);
  });

  test("leaves out directories and files that can't be read", { tags: "deep" }, () => {
    const { root, baselineOf } = project();
    const paths = [baselineOf("a.test.ts"), baselineOf("triage", '{ "step": "Triage" }')];
    mkdirSync(join(root, "database"), { mode: 0 });
    writeFileSync(join(root, "src", "secret.ts"), '"Triage"', { mode: 0 });
    writeFileSync(join(root, "recordings", "secret.ts"), "", { mode: 0 });
    const script = `import(${JSON.stringify(join(import.meta.dirname, "tests-of-baselines.ts"))}).then((module) => {
      if (process.getuid?.() === 0) process.seteuid(65534);
      process.stdout.write(JSON.stringify(module.addTestsOfBaselines(${JSON.stringify(paths)})));
    })`;
    chmodSync(root, 0o755);
    const { stdout } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    const tests = ["a.test.ts", "step.ts"].map((name) => join(root, "src", name));
    expect(stdout).toBe(JSON.stringify([...paths, ...tests]));
  });

  test("adds no file for a step that no source file names, or if the directory is gone", () => {
    const { root, baselineOf } = project();
    const paths = [baselineOf("other"), join(root, "gone", "__baselines__", "x", "one.json")];
    expect(addTestsOfBaselines(paths)).toStrictEqual(paths);
  });
});

describe("next to the tests", () => {
  /** A project with its steps in `src`, and a test of each with its baseline in `tests`. */
  function project(steps: readonly string[]): { root: string; baselines: readonly string[] } {
    const root = temporaryProject("tests-of-baselines");
    const folders = steps.map((step) => join("tests", step));
    for (const folder of ["src", ...folders]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "package.json"), "{}");
    writeFileSync(join(root, "src", "index.ts"), steps.map((step) => `export * from "./${step}.js";\n`).join(""));
    const baselines = steps.map((step, index) => {
      const folder = join(root, folders[index] ?? "");
      // The apostrophe isn't the start of a text.
      writeFileSync(
        join(root, "src", `${step}.ts`),
        `// It doesn't call\nexport const s = defineStep({ name: "${step}" });`,
      );
      writeFileSync(join(folder, "a.test.ts"), 'import { s } from "../../src/index.js";\ntest("a", () => s);');
      mkdirSync(join(folder, "__baselines__", step), { recursive: true });
      const path = join(folder, "__baselines__", step, "one.json");
      writeFileSync(path, JSON.stringify({ step }));
      return path;
    });
    return { root, baselines };
  }

  test("adds these tests and the step's source if they import it through another file, because others may use it", () => {
    const { root, baselines } = project(["read", "order"]);
    const [read = ""] = baselines;
    expect(addTestsOfBaselines([read])).toStrictEqual([
      read,
      join(root, "tests", "read", "a.test.ts"),
      join(root, "src", "read.ts"),
    ]);
  });

  test("adds the tests of a step that has the name of a source file", () => {
    const { root, baselines } = project(["order.ts"]);
    writeFileSync(join(root, "src", "order.ts"), "");
    const tests = join(root, "tests", "order.ts", "a.test.ts");
    expect(addTestsOfBaselines(baselines)).toStrictEqual([...baselines, tests, join(root, "src", "order.ts.ts")]);
  });
});

test("keeps the separators of a path, which may differ from those of the system", () => {
  const folder = join(temporaryProject("tests-of-baselines"), "C:\\project");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "a.test.ts"), "");
  const path = `${folder}\\__baselines__\\a.test.ts\\one.json`;
  expect(addTestsOfBaselines([path])).toStrictEqual([path, `${folder}\\a.test.ts`]);
});
