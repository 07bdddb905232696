import { join } from "node:path";
import { expect, test } from "vitest";
import { err, ok } from "../../kernel/result.ts";
import type { PendingChange } from "../pending/pending-change.ts";
import { DEFAULT_POLICY } from "../policy.ts";
import { groupByPolicy } from "./policy-groups.ts";

const ROOT = join("/", "repository");
const ACTOR = { kind: "human", because: "a test" } as const;

function change(target: string, testFile: string): PendingChange {
  return {
    version: 1,
    kind: "add",
    intent: "write",
    verdict: "missing",
    key: "0123456789ab",
    root: "",
    group: "step",
    before: null,
    after: null,
    text: undefined,
    shown: [],
    test: "t",
    run: "r",
    at: "",
    passed: true,
    contradicted: false,
    target,
    testFile,
  };
}

const loaded: string[] = [];
/** Facts of a decision in a repository in which only the package `a` has a configuration. */
const context = {
  paths: { root: ROOT, area: ROOT, state: "", notes: "" },
  policy: DEFAULT_POLICY,
  actor: ACTOR,
  by: "run",
  reason: undefined,
  policyAt: async (directory: string) => {
    loaded.push(directory);
    if (directory.includes("broken")) return err("it cannot be loaded.");
    const inA = directory.startsWith(join(ROOT, "a"));
    const policy = inA ? { ...DEFAULT_POLICY, protect: ["step"] } : DEFAULT_POLICY;
    return ok({ policy, root: inA ? join(ROOT, "a") : undefined, actor: ACTOR });
  },
} as const;

async function groupsOf(...changes: PendingChange[]): Promise<unknown> {
  const groups = await groupByPolicy(changes, context);
  if (!groups.ok) return groups.error;
  return groups.value.map(({ changes: of, context: { policy, directory } }) => [
    directory,
    policy.protect,
    of.map(({ target }) => target),
  ]);
}

test("groups changes by the configuration above them, whose commands run in its directory", async () => {
  const [one, two] = ["a", "b"].map((name) => change(`${name}/__baselines__/step/x-1.json`, `${name}/x.test.ts`));
  if (one === undefined || two === undefined) throw new Error("two changes were made");
  expect(await groupsOf(one, two)).toStrictEqual([
    [join(ROOT, "a"), ["step"], [one.target]],
    [ROOT, [], [two.target]],
  ]);
});

test("a change must pass the policies above its baseline and above its test file", async () => {
  const target = "a/__baselines__/step/x-1.json";
  expect(await groupsOf(change(target, "b/x.test.ts"))).toStrictEqual([
    [join(ROOT, "a"), ["step"], [target]],
    [ROOT, [], [target]],
  ]);
});

test("loads no configuration outside of the project for a record that names a test file there", async () => {
  loaded.length = 0;
  await groupsOf(change("b/__baselines__/step/x-1.json", "../../elsewhere/x.test.ts"));
  expect(loaded).toStrictEqual([join(ROOT, "b/__baselines__/step")]);
});

test("fails all changes if a configuration can't be loaded", async () => {
  expect(await groupsOf(change("broken/__baselines__/step/x-1.json", ""))).toBe("it cannot be loaded.");
});
