import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type BaselineLibrary, displayPath, openLibrary } from "./baseline-library.ts";
import { type CaseIdentity, type BaselineUpdate, type StepBaseline, identityOf } from "./baseline.ts";
import { createStepBaseline, createValueBaseline } from "./create-baseline.ts";
import { caseFileName, caseHash, groupDirectory } from "./baseline-paths.ts";
import { serializeBaseline } from "./serialize-baseline.ts";
import { StagedUpdates } from "./staged-updates.ts";
import { runCount } from "../../test-support/run-count.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";

function makeRoot(): string {
  return join(temporaryProject("library"), "__baselines__");
}

function baseline(text: string, name?: string): StepBaseline {
  const result = {
    input: { text },
    output: {},
    events: [],
    artifacts: [],
    stepName: "read",
    workflowId: "read",
    workflowVersion: "1",
  };
  return createStepBaseline(result, [], { name });
}

function put(root: string, fileName: string, text: string): string {
  const path = join(root, "read", fileName);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Stores a case under a label; returns its path. */
function keep(root: string, of: StepBaseline, label: string, digits = 8): string {
  return put(root, caseFileName(label, caseHash(identityOf(of), digits)), serializeBaseline(of));
}

function open(root: string, ...proposals: readonly BaselineUpdate[]): BaselineLibrary {
  const staged = new StagedUpdates();
  for (const update of proposals) staged.set(update.path, update);
  return openLibrary(root, staged);
}

function problemOf(library: BaselineLibrary): string[] {
  return library.all("read").map(({ baseline: read }) => (read.ok ? "read" : read.error));
}

/** An identity whose 8-digit hash is that of another: only the ninth digit differs. */
function colliding(identity: CaseIdentity): CaseIdentity {
  const hash = caseHash(identity, 64);
  return { inputHash: `sha256:${hash.slice(0, 8)}${hash.slice(8, 9) === "0" ? "1" : "0"}${hash.slice(9)}` };
}

test("returns a path of group, label and hash for a case that isn't stored", () => {
  const root = makeRoot();
  const identity = identityOf(baseline("a"));
  expect(open(root).find("read", identity, "My Case")).toStrictEqual({
    path: join(root, "read", `my-case-${caseHash(identity)}.json`),
    stored: undefined,
  });
  expect(open(root).all("read")).toStrictEqual([]);
});

test("finds a case by its identity under any label", () => {
  const root = makeRoot();
  const stored = baseline("a");
  const path = keep(root, stored, "old title");
  keep(root, baseline("b"), "new title");
  const found = open(root).find("read", identityOf(stored), "new title");
  expect(found.path).toBe(path);
  expect(found.stored?.baseline).toStrictEqual({ ok: true, value: stored });
  expect(found.stored?.text).toBe(serializeBaseline(stored));
});

test("distinguishes a named case from the unnamed one of the same input", () => {
  const root = makeRoot();
  const named = baseline("a", "march");
  const unnamed = baseline("a");
  const paths = [keep(root, named, "x"), keep(root, unnamed, "x")];
  const library = open(root);
  expect([named, unnamed].map((of) => library.find("read", identityOf(of), "y").path)).toStrictEqual(paths);
  expect(library.find("read", { name: "april" }, "y").stored).toBeUndefined();
});

test("keeps a named case the same when its input changes", () => {
  const root = makeRoot();
  const path = keep(root, baseline("a", "march"), "march");
  expect(open(root).find("read", identityOf(baseline("b", "march")), "march").path).toBe(path);
});

test("stores a case whose hash begins like another one's under 16 digits", () => {
  const root = makeRoot();
  const first = baseline("a");
  const second = colliding(identityOf(first));
  keep(root, first, "same");
  const sixteen = join(root, "read", `same-${caseHash(second, 16)}.json`);
  expect(open(root).find("read", second, "same")).toStrictEqual({ path: sixteen, stored: undefined });
  expect(open(root).find("read", identityOf(first), "other").stored).toBeDefined();
});

test("finds a case stored under 16 digits", () => {
  const root = makeRoot();
  const of = baseline("a");
  const path = keep(root, of, "same", 16);
  expect(open(root).find("read", identityOf(of), "same").path).toBe(path);
});

test("includes what the running test staged: added, updated, removed", () => {
  const root = makeRoot();
  const [kept, updated, removed, added] = [
    baseline("kept"),
    baseline("b", "updated"),
    baseline("removed"),
    baseline("added"),
  ];
  const paths = {
    kept: keep(root, kept, "kept"),
    updated: keep(root, updated, "updated"),
    removed: keep(root, removed, "removed"),
  };
  const addedPath = join(root, "read", caseFileName("added", caseHash(identityOf(added))));
  const next = baseline("c", "updated");
  const library = open(
    root,
    {
      kind: "update",
      root,
      group: "step",
      path: paths.updated,
      before: serializeBaseline(updated),
      after: serializeBaseline(next),
    },
    { kind: "remove", root, group: "step", path: paths.removed, before: serializeBaseline(removed), after: undefined },
    { kind: "add", root, group: "step", path: addedPath, before: undefined, after: serializeBaseline(added) },
    { kind: "add", root, group: "step", path: join(root, "other", "x-00000000.json"), before: undefined, after: "{}" },
  );
  expect(library.all("read").map(({ path, text }) => [path, text])).toStrictEqual([
    [addedPath, serializeBaseline(added)],
    [paths.kept, serializeBaseline(kept)],
    [paths.updated, serializeBaseline(next)],
  ]);
  expect(library.find("read", identityOf(removed), "removed").stored).toBeUndefined();
  expect(library.find("read", identityOf(added), "other label").path).toBe(addedPath);
});

test("returns cases in the order of their file names, without temporary, hidden and foreign files", () => {
  const root = makeRoot();
  const paths = [keep(root, baseline("b"), "a"), keep(root, baseline("a"), "b")];
  for (const name of [".a-00000000.json", ".a-00000000.json.1-2.tmp", "notes.md", "a-00000000.json.orig"])
    put(root, name, "x");
  expect(
    open(root)
      .all("read")
      .map(({ path }) => path),
  ).toStrictEqual(paths);
});

test("refuses a baseline of another step, with its path", () => {
  const root = makeRoot();
  const foreign = { ...baseline("a"), step: "Write" };
  const path = keep(root, foreign, "a");
  expect(problemOf(open(root))).toStrictEqual([
    `Cannot use ${path}: it is a baseline of "Write", in the directory of "read". Move it to write-3f00927a/ or delete it.`,
  ]);
});

test("refuses a value's baseline among those of a step", () => {
  const root = makeRoot();
  const value = createValueBaseline(1, { test: "a.test.ts", name: "n" });
  const path = put(root, caseFileName("n", caseHash({ name: "n" })), serializeBaseline(value));
  expect(problemOf(open(root))).toStrictEqual([
    `Cannot use ${path}: it is a baseline of "a.test.ts", in the directory of "read". Move it to a.test.ts/ or delete it.`,
  ]);
});

test("refuses a renamed file, whose case would be captured a second time", () => {
  const root = makeRoot();
  const of = baseline("a", "march");
  const renamed = join(root, "read", "march.json");
  renameSync(keep(root, of, "march"), renamed);
  expect(problemOf(open(root))).toStrictEqual([
    `Cannot use ${renamed}: its name must end in -${caseHash({ name: "march" })}.json to match its "name". Restore the file and its name from git, or delete the file and capture the case again.`,
  ]);
});

test.each(["name", "inputHash"])("refuses a file whose %s was edited by hand, and doesn't overwrite it", (field) => {
  const root = makeRoot();
  const of = field === "name" ? baseline("a", "march") : baseline("a");
  const edited = field === "name" ? { ...of, name: "april" } : { ...of, inputHash: `sha256:${"0".repeat(64)}` };
  const path = put(root, caseFileName("label", caseHash(identityOf(of))), serializeBaseline(edited));
  const found = open(root).find("read", identityOf(of), "label");
  expect(found.path).toBe(path);
  expect(found.stored?.baseline).toStrictEqual({
    ok: false,
    error: `Cannot use ${path}: its name must end in -${caseHash(identityOf(edited))}.json to match its "${field}". Restore the file and its name from git, or delete the file and capture the case again.`,
  });
});

test("keeps the path of a file that can't be read, under any label", () => {
  const root = makeRoot();
  const of = baseline("a");
  const path = put(root, caseFileName("old label", caseHash(identityOf(of))), "");
  const found = open(root).find("read", identityOf(of), "new label");
  expect(found.path).toBe(path);
  expect(found.stored?.baseline).toStrictEqual({
    ok: false,
    error: `Cannot read ${path}: it is empty. Restore the file with npx veritest repair --restore, or delete it and capture the case again.`,
  });
});

test("reports a directory instead of a baseline as a problem, not as a missing baseline", () => {
  const root = makeRoot();
  const of = baseline("a");
  const path = join(root, "read", caseFileName("a", caseHash(identityOf(of))));
  mkdirSync(path, { recursive: true });
  expect(() => open(root).find("read", identityOf(of), "a")).toThrow(
    new Error(`Cannot read ${path}: EISDIR: illegal operation on a directory, read`),
  );
});

test("shows paths in the working directory relative to it", () => {
  const root = join(process.cwd(), "steps", "__baselines__");
  const of = baseline("a");
  const fileName = caseFileName("a", caseHash(identityOf(of)));
  const library = open(root, {
    kind: "add",
    root,
    group: "step",
    path: join(root, "read", fileName),
    before: undefined,
    after: serializeBaseline(of),
  });
  expect(library.all("read").map(({ file }) => file)).toStrictEqual([`steps/__baselines__/read/${fileName}`]);
});

test("cases taken one after another are read when they are requested, and not before", () => {
  const root = makeRoot();
  const paths = ["a", "b", "c"].map((text) => keep(root, baseline(text), text));
  const cases = open(root).each("read")[Symbol.iterator]();
  expect(cases.next().value?.path).toBe(paths[0]);
  const [, second = "", third = ""] = paths;
  writeFileSync(second, "");
  renameSync(third, join(root, "gone.json"));
  expect(cases.next().value?.text).toBe("");
  expect(cases.next().done).toBe(true);
});

test("shows any path as path.relative would", () => {
  const segment = fc.oneof(
    fc.constantFrom("", ".", "..", "...", ".git", "a..", "a b", "\\", "é"),
    fc.string({ maxLength: 4 }).filter((text) => !text.includes("\0")),
  );
  const start = fc.constantFrom(process.cwd(), `${process.cwd()}x`, dirname(process.cwd()), "", "/", "/other");
  fc.assert(
    fc.property(start, fc.array(segment, { maxLength: 5 }), (from, segments) => {
      const path = [from, ...segments].join("/");
      const short = relative(process.cwd(), path);
      expect(displayPath(path)).toBe(short.startsWith("..") ? path : short);
    }),
    { numRuns: runCount(10_000) },
  );
});

test("shows files of a directory like single paths, in any directory", () => {
  const here = process.cwd();
  const groups = [
    [here, "read"],
    [join(here, "a", "b"), "read"],
    [dirname(here), "read"],
    [dirname(here), basename(here)],
    [join(here, ".."), "..."],
    ["/", "read"],
    ["/elsewhere", "Read me"],
    [`${here}-2`, "read"],
  ] as const;
  for (const [root, group] of groups) {
    const path = join(root, groupDirectory(group), "a-00000000.json");
    const library = open(root, { kind: "add", root, group, path, before: undefined, after: "{}" });
    expect(library.all(group).map(({ file }) => file)).toContain(displayPath(path));
    expect(library.all(group).map(({ file, path: at }) => file === displayPath(at))).not.toContain(false);
  }
});

test("refuses a name that ends in the first digits of another hash", () => {
  const root = makeRoot();
  const of = baseline("a");
  const hash = caseHash(identityOf(of), 16);
  for (const digits of [7, 9, 15]) put(root, `x-${hash.slice(0, digits)}.json`, serializeBaseline(of));
  put(root, `x-${hash.slice(8)}.json`, serializeBaseline(of));
  put(root, `x${hash.slice(0, 8)}.json`, serializeBaseline(of));
  expect(
    open(root)
      .all("read")
      .filter(({ baseline: read }) => read.ok),
  ).toStrictEqual([]);
});
