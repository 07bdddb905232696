// @module-tag deep
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { createStepBaseline, createValueBaseline, type StoredResult } from "../../baseline/create-baseline.ts";
import { verifySerialized, serializeBaseline } from "../../baseline/serialize-baseline.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { captureArtifactSync } from "../../record/snapshot.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

const CLI = join(import.meta.dirname, "..", "..", "cli.ts");
const DRIVER = join(import.meta.dirname, "..", "..", "merge-driver.ts");
let root = "";

beforeEach(() => {
  root = temporaryProject("merge");
  put("package.json", "{}");
  put(".gitignore", "node_modules\n");
  // As npm would install it, but for the build.
  put("node_modules/veritest/dist/merge-driver.js", `await import(${JSON.stringify(DRIVER)});\n`);
  put("node_modules/veritest/package.json", '{"type":"module"}');
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

const WHO = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "init.defaultBranch=main"];

function git(...args: string[]): string {
  return execFileSync("git", [...WHO, ...args], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function commit(what: string): void {
  git("add", "-A");
  git("commit", "-qm", what);
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function ran(command: string, args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr.replaceAll(root, "ROOT") };
}

const veritest = (...args: string[]): Ended => ran(process.execPath, [CLI, ...args]);

/** Two branches made of one commit, merged by git itself. */
function merge(files: { readonly [side in "base" | "ours" | "theirs"]: Readonly<Record<string, string>> }): Ended {
  const write = (side: Readonly<Record<string, string>>): void =>
    Object.entries(side).forEach(([path, text]) => put(path, text));
  write(files.base);
  commit("base");
  git("switch", "-qc", "theirs");
  write(files.theirs);
  commit("theirs");
  git("switch", "-q", "main");
  write(files.ours);
  commit("ours");
  return ran("git", [...WHO, "merge", "-q", "--no-edit", "theirs"]);
}

function install(): void {
  git("init", "-q");
  expect(veritest("merge-driver", "install")).toMatchObject({ code: 0, err: "" });
}

const valueOf = (value: unknown): string =>
  serializeBaseline(createValueBaseline(value, { test: "a.test.ts", name: "one" }));
const PATH = "__baselines__/a.test.ts/one-0b0e7f6a.json";

test("lists its changes, and makes them once", () => {
  git("init", "-q");
  const attributes = ".gitattributes: **/__baselines__/**/*.json merge=veritest";
  const driver =
    "[ \"$(git hash-object --no-filters -- 'ROOT/.git/veritest/merge-driver-HASH.mjs')\" = ID ] && " +
    "node 'ROOT/.git/veritest/merge-driver-HASH.mjs' %O %A %B %L %P || { grep -q '^<<<<<<<' %A && exit 1; " +
    "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B; }";
  const told = (mark: string): string =>
    [
      `${mark}  ${attributes}`,
      `${mark}  git config merge.veritest.name: veritest: baselines merged field by field`,
      `${mark}  git config merge.veritest.driver: ${driver}`,
      "Commit .gitattributes. The settings apply only to this clone. Run this command in each clone, or in the prepare script.\n",
    ].join("\n");
  put(".gitattributes", "*.png binary");
  const general = (text: string): string =>
    text
      .replaceAll(root, "ROOT")
      .replaceAll(/-[0-9a-f]{13}\.mjs/g, "-HASH.mjs")
      .replaceAll(/ = [0-9a-f]{40} /g, " = ID ");
  for (const mark of ["written", "kept   "]) {
    const { out, ...rest } = veritest("merge-driver", "install");
    expect({ ...rest, out: general(out) }).toStrictEqual({ code: 0, out: told(mark), err: "" });
  }
  expect(read(".gitattributes")).toBe("*.png binary\n**/__baselines__/**/*.json merge=veritest\n");
  expect(general(git("config", "--local", "merge.veritest.driver"))).toBe(`${driver}\n`);
});

test("refuses outside of a repository, and if git wouldn't find the driver", () => {
  expect(veritest("merge-driver", "install")).toStrictEqual({
    code: 2,
    out: "",
    err: "veritest: ROOT isn't in a git repository. Run this command in a repository, or create one first: git init\n",
  });
  git("init", "-q");
  symlinkSync("elsewhere", join(root, ".gitattributes"));
  expect(veritest("merge-driver", "install")).toStrictEqual({
    code: 2,
    out: "",
    err: "veritest: .gitattributes is a link, which git doesn't follow. Replace it with a file.\n",
  });
  // As an archive can have it.
  rmSync(join(root, ".gitattributes"));
  renameSync(join(root, ".git"), join(root, "other"));
  put(".git", "gitdir: other\n");
  const config = read("other/config");
  expect(veritest("merge-driver", "install")).toStrictEqual({
    code: 2,
    out: "",
    err: "veritest: ROOT/.git points to another repository's directory. Run this command in that repository.\n",
  });
  expect([read("other/config"), existsSync(join(root, ".gitattributes"))]).toStrictEqual([config, false]);
});

test("git merges two fields of a case, which would otherwise conflict at the hash", () => {
  const base = { [PATH]: valueOf({ a: 1, b: 1, c: [1, 2, 3, 4] }) };
  const ours = { [PATH]: valueOf({ a: 2, b: 1, c: [1, 2, 3, 4] }) };
  const theirs = { [PATH]: valueOf({ a: 1, b: 1, c: [1, 2, 3, 5] }) };
  git("init", "-q");
  expect(merge({ base, ours, theirs })).toMatchObject({ code: 1 });
  git("merge", "--abort");
  expect(veritest("merge-driver", "install")).toMatchObject({ code: 0 });
  expect(ran("git", [...WHO, "merge", "-q", "--no-edit", "theirs"])).toMatchObject({ code: 0 });
  expect(read(PATH)).toBe(valueOf({ a: 2, b: 1, c: [1, 2, 3, 5] }));
});

test("a merge doesn't run a program of the merged branch", () => {
  install();
  const evil = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(root, "ran"))}, "");`;
  const base = { [PATH]: valueOf({ a: 1, b: 1, c: [1, 2, 3, 4] }), ".gitignore": "" };
  const ours = { [PATH]: valueOf({ a: 2, b: 1, c: [1, 2, 3, 4] }) };
  const theirs = {
    [PATH]: valueOf({ a: 1, b: 1, c: [1, 2, 3, 5] }),
    "node_modules/veritest/dist/merge-driver.js": evil,
  };
  expect(merge({ base, ours, theirs })).toMatchObject({ code: 0 });
  expect(read("node_modules/veritest/dist/merge-driver.js")).toBe(evil);
  expect(existsSync(join(root, "ran"))).toBe(false);
  expect(veritest("merge-driver", "install")).toStrictEqual({
    code: 2,
    out: "",
    err:
      "veritest: Refused to install node_modules/veritest/dist/merge-driver.js as a merge driver: git tracks it, so a " +
      "branch can change the code that a merge runs. Remove it from git: git rm -r --cached node_modules\n",
  });
});

test("a merge doesn't run a driver that was changed after its installation", () => {
  install();
  const [name = ""] = readdirSync(join(root, ".git/veritest"));
  const evil = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(root, "ran"))}, "");`;
  writeFileSync(join(root, ".git/veritest", name), evil);
  const sides = { ours: valueOf({ a: 2, b: 1, c: 3 }), theirs: valueOf({ a: 3, b: 1, c: 3 }) };
  const base = { [PATH]: valueOf({ a: 1, b: 1, c: 3 }) };
  expect(merge({ base, ours: { [PATH]: sides.ours }, theirs: { [PATH]: sides.theirs } })).toMatchObject({ code: 1 });
  expect(existsSync(join(root, "ran"))).toBe(false);
  expect(read(PATH)).toMatch(/^<<<<<<< ours$/m);
  expect(veritest("merge-driver", "install")).toMatchObject({ code: 0 });
  expect(readFileSync(join(root, ".git/veritest", name), "utf8")).not.toBe(evil);
});

test("without the driver git merges by lines, and reports a conflict", () => {
  const base = { [PATH]: valueOf({ a: 1, b: 1, c: [1, 2, 3, 4] }) };
  const ours = { [PATH]: valueOf({ a: 2, b: 1, c: [1, 2, 3, 4] }) };
  const theirs = { [PATH]: valueOf({ a: 3, b: 1, c: [1, 2, 3, 4] }) };
  install();
  rmSync(join(root, ".git/veritest"), { recursive: true });
  expect(merge({ base, ours, theirs })).toMatchObject({ code: 1 });
  const text = read(PATH);
  expect([/^<<<<<<< ours$/m, /"a": 2/, /^=======$/m, /"a": 3/].every((part) => part.test(text))).toBe(true);
});

test("a field that both sides changed is a conflict between two complete files", () => {
  install();
  const sides = { ours: valueOf({ a: 2, b: 1, c: 3 }), theirs: valueOf({ a: 3, b: 5, c: 1 }) };
  const merged = merge({
    base: { [PATH]: valueOf({ a: 1, b: 1, c: 1 }) },
    ours: { [PATH]: sides.ours },
    theirs: { [PATH]: sides.theirs },
  });
  expect(merged.code).toBe(1);
  expect(merged.err).toContain(
    `veritest: ${PATH}: both sides changed value.a. Keep one side: run git checkout --ours (or --theirs) ` +
      "and git add on the file, then its test with -u.\n",
  );
  const found = read(PATH);
  expect(sideOf(found, "ours")).toBe(valueOf({ a: 2, b: 5, c: 3 }));
  expect(sideOf(found, "theirs")).toBe(valueOf({ a: 3, b: 5, c: 3 }));
  expect(veritest("check")).toMatchObject({
    code: 2,
    out:
      `damaged     ${PATH}  it has git conflict markers (line 9). Keep one side with git checkout --ours or --theirs, ` +
      "run git add, and run its test with -u.\n1 baseline checked, 1 finding: 1 damaged.\n",
  });
});

test("merges damaged files by lines, without a new hash", () => {
  install();
  const damaged = valueOf({ a: 1, b: 1, c: [1, 2, 3, 4] }).replace('"a": 1', '"a": 7');
  const merged = merge({
    base: { [PATH]: valueOf({ a: 1, b: 1, c: [1, 2, 3, 4] }) },
    ours: { [PATH]: damaged },
    theirs: { [PATH]: valueOf({ a: 1, b: 1, c: [1, 2, 3, 5] }) },
  });
  expect(merged.err).toContain(
    `veritest: Cannot merge ${PATH}: "hash" doesn't match "value". Git merged it line by line. Check the result with: npx veritest check\n`,
  );
  expect(merged.code).toBe(0);
  expect(veritest("check")).toMatchObject({ code: 2 });
});

/** One side of every conflict of a file. */
function sideOf(text: string, side: "ours" | "theirs"): string {
  const pattern = /^<{7} ours\n([^]*?)^={7}\n([^]*?)^>{7} theirs\n/gm;
  return text.replaceAll(pattern, (_, ours: string, theirs: string) => (side === "ours" ? ours : theirs));
}

/** A step's result as a person may change it, in every part of its file. */
interface Case extends StoredResult {
  readonly calls: readonly AdapterCall[];
  readonly meta: Readonly<Record<string, string>>;
}

const callOf = (prompt: string, answer: string): AdapterCall => ({
  adapter: "llm.ask",
  occurrence: 0,
  returns: "promise",
  request: [{ prompt }],
  response: { id: answer.length, answer },
});

const CASE: Case = {
  stepName: "read",
  workflowId: "read",
  workflowVersion: "1",
  input: { text: "a receipt" },
  output: {
    total: 9,
    company: "Mill",
    place: { city: "Leeds", code: "LS1" },
    entities: [
      { id: "e1", text: "Mill", score: 1 },
      { id: "e2", text: "9.00", score: 2 },
    ],
    rows: [
      { text: "ink", amount: 1 },
      { text: "paper", amount: 2 },
      { text: "glue", amount: 3 },
    ],
  },
  events: [{ type: "read", payload: { lines: 3, words: 9 } }],
  commands: [{ type: "emit", topic: "told", payload: { total: 9, city: "Leeds" } }],
  artifacts: [captureArtifactSync("page", 5)],
  calls: [callOf("What is the total?", "9"), callOf("Who sold it?", "Mill"), callOf("Where?", "Leeds")],
  meta: { customer: "acme", page: "1" },
};

/** Places of a file that a person changes, each by itself. */
const PLACES: readonly (readonly (string | number)[])[] = [
  ["output", "total"],
  ["output", "company"],
  ["output", "place", "city"],
  ["output", "place", "code"],
  ["output", "entities", 0, "text"],
  ["output", "entities", 0, "score"],
  ["output", "entities", 1, "score"],
  ["output", "rows", 0, "amount"],
  ["output", "rows", 2, "text"],
  ["output", "added"],
  ["events", 0, "payload", "lines"],
  ["events", 0, "payload", "words"],
  ["commands", 0, "payload", "total"],
  ["commands", 0, "payload", "city"],
  ["calls", 0],
  ["calls", 2],
  ["meta", "customer"],
  ["meta", "page"],
];

interface Edit {
  readonly place: readonly (string | number)[];
  readonly to: unknown;
}

const anEdit: fc.Arbitrary<Edit> = fc.constantFrom(...PLACES).chain((place) => {
  const prose = fc.stringMatching(/^[a-z]{3,8}$/);
  const to: fc.Arbitrary<unknown> =
    place[0] === "calls" ? prose.map((answer) => callOf(`Again, ${answer}?`, answer)) : fc.oneof(prose, fc.integer());
  return to.map((made) => ({ place, to: place[0] === "meta" ? String(made) : made }));
});

function edited<T>(value: T, { place, to }: Edit): T {
  const copy = structuredClone(value);
  let part: unknown = copy;
  for (const key of place.slice(0, -1)) part = Reflect.get(Object(part), key);
  Reflect.set(Object(part), place.at(-1) ?? "", to);
  return copy;
}

const fileOf = ({ calls, meta, ...result }: Case): string =>
  serializeBaseline(createStepBaseline(result, calls, { meta }));

test("8 random pairs of parallel edits conflict only in the same field", () => {
  install();
  const edits = fc.array(anEdit, { minLength: 1, maxLength: 3 });
  const pairs = fc.sample(fc.tuple(edits, edits), { numRuns: 8, seed: 28 });
  const path = (index: number): string => `__baselines__/read/case-${String(index).padStart(8, "0")}.json`;
  const side = (make: (pair: (typeof pairs)[number]) => Case): Record<string, string> =>
    Object.fromEntries(pairs.map((pair, index) => [path(index), fileOf(make(pair))]));
  const all = (one: readonly Edit[]): Case => one.reduce(edited, CASE);
  merge({ base: side(() => CASE), ours: side(([ours]) => all(ours)), theirs: side(([, theirs]) => all(theirs)) });
  const clashing = pairs.map(([ours, theirs]) =>
    PLACES.some((place) => {
      const [mine, yours] = [ours, theirs].map((some) => some.findLast((one) => one.place === place));
      return mine !== undefined && yours !== undefined && JSON.stringify(mine.to) !== JSON.stringify(yours.to);
    }),
  );
  const unmerged = git("diff", "--name-only", "--diff-filter=U").split("\n").filter(Boolean);
  expect(unmerged).toStrictEqual(clashing.flatMap((clash, index) => (clash ? [path(index)] : [])));
  expect(clashing).toContain(true);
  expect(clashing).toContain(false);
  pairs.forEach(([ours, theirs], index) => {
    const text = read(path(index));
    const [first, second] = [fileOf(all([...theirs, ...ours])), fileOf(all([...ours, ...theirs]))];
    expect(sideOf(text, "ours")).toBe(first);
    expect(sideOf(text, "theirs")).toBe(second);
    expect([verifySerialized(first), verifySerialized(second)]).toStrictEqual([undefined, undefined]);
  });
});
