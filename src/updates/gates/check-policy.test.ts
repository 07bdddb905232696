import { describe, expect, test } from "vitest";
import { createStepBaseline } from "../../baseline/create-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import type { VerdictClass } from "../../check/verdict.ts";
import { hashValueSync } from "../../kernel/json/hash.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { ActorKind } from "../receipts/actor.ts";
import { type PendingChange, pendingChange } from "../pending/pending-change.ts";
import { DEFAULT_POLICY, type Policy } from "../policy.ts";
import { checkPolicy } from "./check-policy.ts";
import { type EndedFile, splitByScope } from "./split-by-scope.ts";

const ORIGIN = {
  projectRoot: "/p",
  testPath: "/p/a.test.ts",
  test: "t",
  passed: true,
  run: "r",
  at: "2026-01-01T00:00:00.000Z",
};

function change(verdict: VerdictClass, origin: Partial<typeof ORIGIN> = {}): PendingChange {
  const before = verdict === "missing" ? undefined : "{}";
  const kind = verdict === "missing" ? "add" : "update";
  const update = {
    kind,
    root: "/p/__baselines__",
    path: "/p/__baselines__/read/a-00000000.json",
    group: "read-receipt",
    before,
    after: "{} ",
  } as const;
  return pendingChange({ update, intent: "write", verdict, shown: [] }, { ...ORIGIN, ...origin });
}

type Asked = Parameters<typeof checkPolicy>[1];

function problems(changes: readonly PendingChange[], policy: Partial<Policy>, settler: Partial<Asked> = {}): string[] {
  const known: Asked = {
    policy: { ...DEFAULT_POLICY, ...policy },
    actor: { kind: "human", because: "a TTY" },
    by: "run",
    reason: undefined,
    ...settler,
  };
  return checkPolicy(changes, known).flatMap(({ problem }) => problem ?? []);
}

const ACTORS: readonly ActorKind[] = ["human", "agent", "ci"];
const CLASSES: readonly VerdictClass[] = [
  "missing",
  "value_changed",
  "commands_changed",
  "schema_violation",
  "obsolete",
  "clean",
];

describe.each(ACTORS)("%s", (kind) => {
  test.each(CLASSES)("may write a change of class %s only if its role allows it", (verdict) => {
    for (const by of ["run", "person"] as const) {
      for (const agents of ["commit", "propose-only"] as const) {
        const found = problems([change(verdict)], { agents }, { by, actor: { kind, because: "it is set" } });
        const refused = kind === "ci" || (kind === "agent" && agents === "propose-only");
        expect(found.length > 0).toBe(refused);
        const forbids = { agents: "commit", forbid: [verdict] } as const;
        expect(problems([change(verdict)], forbids, { by, actor: { kind, because: "it is set" } })).toContain(
          `policy.forbid forbids ${verdict}.`,
        );
      }
    }
  });

  test.each([
    "run",
    "file",
    "test",
  ] as const)("with scope %s: a propose-only agent writes nothing, whatever passed", (scope) => {
    const files: EndedFile[] = [{ testPath: "/p/a.test.ts", passed: true, staged: [] }];
    const { candidates } = splitByScope([change("missing")], { scope, root: "/p", files });
    const found = problems(candidates, { scope, agents: "propose-only" }, { actor: { kind, because: "it is set" } });
    expect(candidates).toHaveLength(1);
    expect(found.length === 0).toBe(kind === "human");
  });
});

test("names the actor, and why veritest detected it as that actor", () => {
  expect(problems([change("missing")], {}, { actor: { kind: "ci", because: "CI" } })).toStrictEqual([
    "CI never writes baselines (CI).",
  ]);
  expect(
    problems([change("missing")], { agents: "propose-only" }, { actor: { kind: "agent", because: "AGENT" } }),
  ).toStrictEqual(['An agent can\'t accept changes here (AGENT; policy.agents is "propose-only").']);
});

test("only a person who saw the change may write a protected step", () => {
  expect(problems([change("value_changed")], { protect: ["read-*"] })).toStrictEqual([
    "policy.protect protects read-receipt. A person has to accept the changes: npx veritest review",
  ]);
  expect(problems([change("value_changed")], { protect: ["read-*"] }, { by: "person" })).toStrictEqual([]);
  expect(problems([change("value_changed")], { protect: ["write-*"] })).toStrictEqual([]);
});

test("treats a reason of spaces as missing", () => {
  expect(problems([change("missing")], { requireReason: true }, { reason: "  " })).toStrictEqual([
    "A reason is required. Add VERITEST_REASON.",
  ]);
  expect(problems([change("missing")], { requireReason: true }, { by: "person" })).toStrictEqual([
    "A reason is required. Add --reason.",
  ]);
  expect(problems([change("missing")], { requireReason: true }, { reason: "new model" })).toStrictEqual([]);
});

test("every gate answers, in a fixed order, so that all of it can be fixed at once", () => {
  const limits = {
    requireReason: true,
    maxUpdates: 0,
    protect: ["*"],
    forbid: ["value_changed"],
    maxBytes: 1,
  } as const;
  const answers = checkPolicy([change("value_changed")], {
    policy: { ...DEFAULT_POLICY, ...limits },
    actor: { kind: "ci", because: "CI" },
    by: "run",
    reason: undefined,
  });
  expect(answers.map(({ name }) => name)).toStrictEqual([
    "actor",
    "reason",
    "max-updates",
    "protect",
    "forbid",
    "size",
  ]);
  expect(answers.every(({ problem }) => problem !== undefined)).toBe(true);
});

test("scope file writes the changes of a passing file, except those of its failing tests", () => {
  const other = change("missing", { testPath: "/p/b.test.ts" });
  const failing = change("missing", { testPath: "/p/b.test.ts", test: "u", passed: false });
  const files: EndedFile[] = ["a", "b"].map((name) => ({ testPath: `/p/${name}.test.ts`, passed: true, staged: [] }));
  const split = splitByScope([change("missing"), other, failing], { scope: "file", root: "/p", files });
  expect([split.candidates.length, split.withheld, split.reasons]).toStrictEqual([
    1,
    [other, failing],
    ['1 test file failed: b.test.ts (transaction.scope is "file").'],
  ]);
  expect(splitByScope([other, failing], { scope: "test", root: "/p", files })).toMatchObject({
    withheld: [failing],
    reasons: ['Their tests failed, in b.test.ts (transaction.scope is "test").'],
  });
  expect(splitByScope([other, failing], { scope: "run", root: "/p", files }).reasons).toStrictEqual([
    'A test failed, in b.test.ts (transaction.scope is "run").',
  ]);
});

test("names the first failed test files on one line, and counts the rest", () => {
  const files: EndedFile[] = ["a", "b", "c\nd", "e".repeat(200), "f"].map((name) => ({
    testPath: `/p/${name}.test.ts`,
    passed: false,
    staged: [],
  }));
  const because = (failed: readonly EndedFile[]): readonly string[] =>
    splitByScope([change("missing")], { scope: "run", root: "/p", files: failed }).reasons;
  expect(because(files)).toStrictEqual([
    '5 test files failed: a.test.ts, b.test.ts, c d.test.ts and 2 more (transaction.scope is "run").',
  ]);
  expect(because(files.slice(3, 4))).toStrictEqual([
    `1 test file failed: ${"e".repeat(120)}… (+88 characters) (transaction.scope is "run").`,
  ]);
});

test("policy.forbidUnnamed refuses an output with fields that its schema doesn't name", () => {
  const result = {
    input: {},
    output: { total: 9 },
    events: [],
    commands: [],
    stepName: "invoice",
    workflowId: "invoice",
    workflowVersion: "1",
  };
  const textWith = (...artifacts: readonly Artifact[]): string =>
    serializeBaseline(createStepBaseline({ ...result, artifacts }, [], {}));
  const names = { hash: hashValueSync(["ssn"]), kind: "unnamed-output", content: ["ssn"] };
  const unnamed = { ...change("value_changed"), text: textWith(names) };
  expect(problems([unnamed], {})).toStrictEqual([]);
  expect(problems([unnamed], { forbidUnnamed: true })).toStrictEqual([
    "policy.forbidUnnamed forbids ssn of read-receipt. Add the field to the step's schema, or remove it from the result.",
  ]);
  expect(problems([{ ...unnamed, text: textWith() }], { forbidUnnamed: true })).toStrictEqual([]);
});
