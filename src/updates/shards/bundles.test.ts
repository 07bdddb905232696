import type { ActorKind } from "../receipts/actor.ts";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type PendingProject,
  changeOf,
  commitAll,
  makeProject,
  pathOf,
  put,
  textOf,
  updateContextOf,
} from "../../../test-support/pending-project.ts";
import { readReceipts } from "../receipts/receipts.ts";
import { type BundleFile, bundleText, parseBundle, readBundles } from "./bundle.ts";
import { type BundleCommitResult, commitBundles } from "./commit-bundles.ts";
import { DEFAULT_POLICY, type Policy } from "../policy.ts";
import type { PendingChange } from "../pending/pending-change.ts";
import { beginRun } from "../test-run.ts";
import type { UpdateContext } from "../update-context.ts";
import { type EndedFile } from "../gates/split-by-scope.ts";
import { stageChanges } from "../pending/stage-changes.ts";
import { type BundledShard, type WrittenBundle, runGroupOf, writeBundle } from "./write-bundle.ts";
import { runCount } from "../../../test-support/run-count.ts";

const NOW = new Date("2026-01-02T03:04:05.000Z");

interface Ended {
  readonly problems?: readonly string[];
  readonly passed?: boolean;
  readonly policy?: Policy;
  readonly removals?: readonly never[];
}

/** Ends a shard's run that staged these changes; the directory with its bundle. */
function endShard(
  project: PendingProject,
  changes: readonly PendingChange[],
  { problems = [], passed = true, policy = DEFAULT_POLICY, ...shard }: Ended & Partial<BundledShard> = {},
): { readonly directory: string; readonly written: WrittenBundle } {
  const run = beginRun(project.paths);
  stageChanges(run, changes, new Set());
  const files: EndedFile[] = [
    { testPath: join(project.root, "a.test.ts"), passed, staged: changes.map(({ key }) => key) },
  ];
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-bundle-")));
  const written = writeBundle(
    directory,
    { run, context: { policy, now: NOW }, files, problems, removals: [] },
    { index: 1, count: 1, runGroup: "group", ...shard },
  );
  return { directory, written };
}

function write(project: PendingProject, name: string, to: unknown, more: Partial<PendingChange> = {}): PendingChange {
  return { ...changeOf(project, name, { to, intent: "write", passed: true, verdict: "missing" }), ...more };
}

function filesOf(...written: readonly { readonly written: WrittenBundle }[]): BundleFile[] {
  return written.map(({ written: { path } }) => ({
    name: path.split("/").at(-1) ?? "",
    text: readFileSync(path, "utf8"),
  }));
}

async function settle(
  project: PendingProject,
  files: readonly BundleFile[],
  context: UpdateContext = updateContextOf(project.paths, { by: "run", now: NOW }),
): Promise<BundleCommitResult | readonly string[]> {
  const group = readBundles(files);
  return group.ok ? commitBundles(group.value, context) : group.error;
}

test("two shards of one run are applied as one transaction with one receipt", async () => {
  const project = makeProject();
  const [one, two] = [write(project, "one", 1), write(project, "two", 2)];
  const shards = [endShard(project, [one], { index: 1, count: 2 }), endShard(project, [two], { index: 2, count: 2 })];
  expect(shards.map(({ written: { changes, green, problems } }) => ({ changes, green, problems }))).toStrictEqual([
    { changes: 1, green: true, problems: [] },
    { changes: 1, green: true, problems: [] },
  ]);
  expect(existsSync(pathOf(project, "one"))).toBe(false);
  expect(await settle(project, filesOf(...shards))).toMatchObject({
    kind: "committed",
    written: [one, two],
    problem: undefined,
  });
  expect(["one", "two"].map((name) => readFileSync(pathOf(project, name), "utf8"))).toStrictEqual([
    textOf("one", 1),
    textOf("two", 2),
  ]);
  const { values: receipts } = readReceipts(project.paths.notes);
  expect(receipts.map(({ kind, changes }) => ({ kind, changes: changes.length }))).toStrictEqual([
    { kind: "commit", changes: 2 },
  ]);
});

test("applied again, nothing has to be written", async () => {
  const project = makeProject();
  const files = filesOf(endShard(project, [write(project, "one", 1)]));
  await settle(project, files);
  expect(await settle(project, files)).toMatchObject({ kind: "committed", receipt: undefined });
});

test("accepts shards that agree on a case, and refuses those that don't", async () => {
  const project = makeProject();
  const same = [
    endShard(project, [write(project, "one", 1)], { index: 1, count: 2 }),
    endShard(project, [write(project, "one", 1)], { index: 2, count: 2 }),
  ];
  expect(await settle(project, filesOf(...same))).toMatchObject({ kind: "committed" });
  const other = makeProject();
  const rivals = [
    endShard(other, [write(other, "one", 1)], { index: 1, count: 2 }),
    endShard(other, [write(other, "one", 2, { test: "another" })], { index: 2, count: 2 }),
  ];
  expect(await settle(other, filesOf(...rivals))).toStrictEqual([
    `${write(other, "one", 1).target} has different results from "one" and "another".`,
  ]);
});

test("a bundle names its shard and has its staged updates; the baselines stay unchanged", () => {
  const project = makeProject();
  const { directory, written } = endShard(project, [write(project, "one", 1)], { index: 2, count: 3 });
  expect(readdirSync(directory)).toStrictEqual(["bundle-2of3.ndjson"]);
  const read = parseBundle(readFileSync(written.path, "utf8"));
  expect(read).toMatchObject({
    ok: true,
    value: {
      header: {
        bundle: 1,
        runGroup: "group",
        shard: { index: 2, count: 3 },
        gitHead: null,
        at: "2026-01-02T03:04:05.000Z",
        green: true,
        problems: [],
      },
      changes: [write(project, "one", 1, { at: expect.anything() })],
    },
  });
});

test("a shard without changes writes a bundle too, which its group requires", async () => {
  const project = makeProject();
  const shards = [
    endShard(project, [], { index: 1, count: 2 }),
    endShard(project, [write(project, "one", 1)], { index: 2, count: 2 }),
  ];
  expect(await settle(project, filesOf(...shards))).toMatchObject({ kind: "committed" });
  expect(await settle(project, filesOf(...shards.slice(0, 1)))).toStrictEqual([
    "1 of 2 shards is missing: 2. Pass the bundles of all shards: npx veritest commit <bundles>",
  ]);
});

test.each<[string, Ended & { readonly failing?: boolean }, string]>([
  ["a test file failed", { passed: false }, "1 test file failed: a.test.ts."],
  ["a test failed", { failing: true }, "A test failed."],
  ["the run was interrupted", { problems: ["The run was interrupted."] }, "The run was interrupted."],
])("refuses the group if in one shard %s, and reports why", async (_what, ended, why) => {
  const project = makeProject();
  const change = write(project, "one", 1, { passed: ended.failing !== true });
  const shards = [
    endShard(project, [change], { ...ended, index: 1, count: 2 }),
    endShard(project, [], { index: 2, count: 2 }),
  ];
  expect(shards[0]?.written).toMatchObject({ green: false, problems: [why] });
  expect(await settle(project, filesOf(...shards))).toStrictEqual([
    `bundle-1of2.ndjson comes from a shard that failed: ${why}`,
  ]);
  expect(existsSync(pathOf(project, "one"))).toBe(false);
});

test("a shard that lost staged updates fails", () => {
  const project = makeProject();
  const run = beginRun(project.paths);
  const files: EndedFile[] = [{ testPath: join(project.root, "a.test.ts"), passed: true, staged: ["0123456789ab"] }];
  const directory = mkdtempSync(join(tmpdir(), "veritest-bundle-"));
  expect(
    writeBundle(
      directory,
      { run, context: { policy: DEFAULT_POLICY, now: NOW }, files, problems: [], removals: [] },
      { index: 1, count: 1, runGroup: "" },
    ),
  ).toMatchObject({
    green: false,
    problems: [
      "The pending updates of a.test.ts (1) don't match those in the state directory (0). Run the tests again.",
    ],
  });
});

test("a shard that would remove baselines fails, because others may use them", () => {
  const project = makeProject();
  const path = put(project, "one", 1);
  const removal = {
    kind: "remove",
    root: join(project.root, "__baselines__"),
    path,
    group: "a.test.ts",
    before: textOf("one", 1),
    after: undefined,
  } as const;
  const directory = mkdtempSync(join(tmpdir(), "veritest-bundle-"));
  const ended = {
    run: beginRun(project.paths),
    context: { policy: DEFAULT_POLICY, now: NOW },
    files: [],
    problems: [],
    removals: [removal],
  };
  expect(writeBundle(directory, ended, { index: 1, count: 2, runGroup: "" }).problems).toStrictEqual([
    "A shard runs only a part of the tests, so it can't find obsolete baselines.",
  ]);
});

test.each([
  [0, 1],
  [2, 1],
  [1.5, 2],
  [1, Number.NaN],
])("refuses shard %d of %d", (index, count) => {
  expect(() => endShard(makeProject(), [], { index, count })).toThrow(
    new RangeError(`Shard ${index} of ${count} doesn't exist.`),
  );
});

test.each<[string, (texts: readonly string[]) => readonly string[], readonly string[]]>([
  [
    "missing",
    ([one = ""]) => [one],
    ["1 of 2 shards is missing: 2. Pass the bundles of all shards: npx veritest commit <bundles>"],
  ],
  ["there twice", ([one = "", two = ""]) => [one, two, two], ["Shard 2 is listed twice: b2 is the second."]],
  [
    "cut off",
    ([one = "", two = ""]) => [one, two.slice(0, -2)],
    ["Cannot read b1: it is incomplete or modified (checksum mismatch)."],
  ],
  [
    "changed",
    ([one = "", two = ""]) => [one, two.replace("two-", "tow-")],
    ["Cannot read b1: it is incomplete or modified (checksum mismatch)."],
  ],
  ["no bundle", ([one = ""]) => [one, "x"], ["Cannot read b1: it is incomplete or modified (checksum mismatch)."]],
])("refuses a group with a shard %s", async (_what, change, problems) => {
  const project = makeProject();
  const shards = [
    endShard(project, [write(project, "one", 1)], { index: 1, count: 2 }),
    endShard(project, [write(project, "two", 1)], { index: 2, count: 2 }),
  ];
  const files = change(filesOf(...shards).map(({ text }) => text)).map((text, index) => ({ name: `b${index}`, text }));
  expect(await settle(project, files)).toStrictEqual(problems);
  expect(existsSync(join(project.root, "__baselines__"))).toBe(false);
});

test("refuses bundles of different runs, sizes, versions, commits or configurations", async () => {
  const project = makeProject();
  const [a, b] = filesOf(
    endShard(project, [], { index: 1, count: 2 }),
    endShard(project, [], { index: 2, count: 2, runGroup: "another", policy: { ...DEFAULT_POLICY, maxUpdates: 1 } }),
  );
  const read = parseBundle(b?.text ?? "");
  if (!read.ok || a === undefined) throw new Error("unreachable");
  const odd = {
    ...read.value,
    header: { ...read.value.header, veritest: "9.9.9", gitHead: "f".repeat(40), shard: { index: 2, count: 3 } },
  };
  expect(await settle(project, [a, { name: "odd", text: bundleText(odd) }])).toStrictEqual([
    "The bundles are of runs with different numbers of shards.",
    "The bundles were written by different versions of veritest.",
    "The bundles are of different runs.",
    "The bundles are of different commits.",
    "The bundles are of different configurations.",
  ]);
});

test("reports a header with a million shards in a few lines", async () => {
  const project = makeProject();
  expect(await settle(project, filesOf(endShard(project, [], { index: 1, count: 1_000_000 })))).toStrictEqual([
    "999999 of 1000000 shards are missing: 2, 3, 4, 5, 6 and 999994 more. Pass the bundles of all shards: npx veritest commit <bundles>",
  ]);
});

test("refuses an empty list of bundles", () => {
  expect(readBundles([])).toStrictEqual({
    ok: false,
    error: ["No bundle was passed. Pass the bundles of all shards: npx veritest commit <bundles>"],
  });
});

test("discards bundles of another commit, configuration or version than the checkout, with a receipt", {
  tags: "deep",
}, async () => {
  const project = makeProject({ git: true });
  const policy = { ...DEFAULT_POLICY, maxUpdates: 7 };
  const files = filesOf(endShard(project, [write(project, "one", 1)], { policy }));
  writeFileSync(join(project.root, "more"), "");
  commitAll(project.root);
  const settled = await settle(project, files);
  expect(settled).toMatchObject({
    kind: "discarded",
    problems: expect.arrayContaining([
      expect.stringMatching(
        /^The bundles are from commit [0-9a-f]{12}, but [0-9a-f]{12} is checked out\. Check out [0-9a-f]{12}, then commit the bundles again\.$/,
      ),
      "The bundles are from a different configuration than this project has now. Check out the bundles' commit, or run the shards again.",
    ]),
    receipt: { kind: "discard" },
  });
  expect(existsSync(pathOf(project, "one"))).toBe(false);
});

test("hashes a configuration independently of its line ends", () => {
  const project = makeProject();
  const hashOf = (text: string): unknown => {
    writeFileSync(join(project.root, "veritest.config.ts"), text);
    const read = parseBundle(filesOf(endShard(project, []))[0]?.text ?? "");
    return read.ok && read.value.header.configHash;
  };
  const [unix, windows, other] = [hashOf("a\nb\n"), hashOf("a\r\nb\r\n"), hashOf("a\nc\n")];
  expect(windows).toBe(unix);
  expect(other).not.toBe(unix);
});

test("discards all updates if a baseline changed since the shards ran", async () => {
  const project = makeProject();
  put(project, "two", 1);
  const shards = [
    endShard(project, [write(project, "one", 1)], { index: 1, count: 2 }),
    endShard(project, [write(project, "two", 2)], { index: 2, count: 2 }),
  ];
  put(project, "two", "edited");
  expect(await settle(project, filesOf(...shards))).toMatchObject({
    kind: "discarded",
    problems: [expect.stringContaining("changed since it was compared. No file was written")],
    receipt: { kind: "discard" },
  });
  expect(existsSync(pathOf(project, "one"))).toBe(false);
  expect(readFileSync(pathOf(project, "two"), "utf8")).toBe(textOf("two", "edited"));
});

test.each<[ActorKind, Partial<Policy>, boolean]>([
  ["human", {}, true],
  ["agent", {}, true],
  ["agent", { agents: "propose-only" }, false],
  ["ci", {}, false],
  ["human", { protect: ["a.test.ts"] }, false],
  ["human", { forbid: ["missing"] }, false],
  ["human", { requireReason: true }, false],
])("as %s with %j the bundles are committed: %s", async (actor, policy, may) => {
  const project = makeProject();
  const files = filesOf(endShard(project, [write(project, "one", 1)], { policy: { ...DEFAULT_POLICY, ...policy } }));
  expect(
    await settle(project, files, updateContextOf(project.paths, { actor, policy, by: "run", now: NOW })),
  ).toMatchObject({
    kind: may ? "committed" : "discarded",
  });
  expect(existsSync(pathOf(project, "one"))).toBe(may);
});

test("discards a bundle that would write outside of the project before it reads baselines", async () => {
  const project = makeProject();
  const outside = write(project, "one", 1, { target: "../../../../../../dev/zero", root: "../../../../../../dev" });
  expect(await settle(project, filesOf(endShard(project, [outside])))).toMatchObject({
    kind: "discarded",
    problems: ["../../../../../../dev/zero isn't a baseline path of this project."],
  });
});

test("detects a change of any character of a bundle", () => {
  const project = makeProject();
  mkdirSync(join(project.root, "x"));
  const [file] = filesOf(endShard(project, [write(project, "one", 1), write(project, "two", { text: "é\u2028🙂" })]));
  const text = file?.text ?? "";
  expect(parseBundle(text).ok).toBe(true);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 2 }), (at, piece) => {
      const changed = text.slice(0, at) + piece + text.slice(at + 1);
      fc.pre(changed !== text);
      const read = parseBundle(changed);
      // White space and the order of the last line's two fields say nothing.
      if (read.ok) expect(read.value).toStrictEqual(parseBundle(text).ok && Object(parseBundle(text)).value);
    }),
    { numRuns: runCount(1000) },
  );
});

test.each<[NodeJS.ProcessEnv, string]>([
  [{ VERITEST_RUN_GROUP: "mine", GITHUB_RUN_ID: "1" }, "mine"],
  [{ GITHUB_RUN_ID: "1", GITHUB_RUN_ATTEMPT: "2" }, "1-2"],
  [{ CI_PIPELINE_ID: "7" }, "7"],
  [{ VERITEST_RUN_GROUP: "" }, ""],
  [{}, ""],
])("reads the run group of %j as %j", (environment, group) => {
  expect(runGroupOf(environment)).toBe(group);
});
