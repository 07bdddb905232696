import assert from "node:assert/strict";
import { emit, fanout, review } from "../../../../kernel/step/command.ts";
import type { RunStore, StepCommit } from "../contract.ts";
import { type ContractCase, commitOf, contractCase, errorOf, rowsOf, statusesOf, valueOf } from "./case.ts";

const PARTS = 8;

/** Commits without an expected version, which a store can write together. */
export const ANY_VERSION: readonly ContractCase[] = [
  contractCase("a commit without an expected version is written at any version", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 1 })));
    const third = commitOf({ stepId: "c", expectedVersion: undefined });
    assert.deepEqual(valueOf(await store.commit(third)), { version: 3, duplicate: false });
    assert.deepEqual(valueOf(await store.commit(third)), { version: 3, duplicate: true });
  }),
  contractCase("a commit without an expected version for no run is refused", async ({ store }) => {
    const error = errorOf(await store.commit(commitOf({ expectedVersion: undefined })), "run_not_found");
    assert.equal(error.message, 'Run "run-1" doesn\'t exist. List runs: npx veritest runs list');
    assert.equal(valueOf(await store.load("claims", "run-1")), undefined);
  }),
  contractCase("a commit without an expected version for a cancelled run is refused", async ({ store }) => {
    valueOf(await store.start({ ...RUN, step: "extract", input: 1 }));
    valueOf(await store.cancel({ ...RUN, actor: "ann", reason: "r" }));
    const commits = [1, 2].map((part) => commitOf({ stepId: `s${part}`, expectedVersion: undefined }));
    for (const result of await Promise.all(commits.map((commit) => store.commit(commit))))
      errorOf(result, "run_cancelled");
    assert.equal(valueOf(await store.entries("claims", "run-1")).length, 2);
  }),
  contractCase("concurrent commits at any version are all written, each with its own version", async ({ store }) => {
    const parts = await fannedOut(store);
    const results = await Promise.all(parts.map((part) => store.commit(part)));
    const versions = results.map((result) => valueOf(result).version);
    assert.deepEqual(
      versions.toSorted((a, b) => a - b),
      parts.map((_part, index) => index + 2),
    );
    const entries = valueOf(await store.entries("claims", "run-1"));
    assert.deepEqual(
      entries.map(({ version }) => version),
      [1, ...parts.map((_part, index) => index + 2)],
    );
    for (const [index, part] of parts.entries()) {
      const entry = entries.find(({ version }) => version === versions[index]);
      assert.deepEqual([entry?.stepId, entry?.output, entry?.events], [part.stepId, part.output, part.events]);
    }
    const { computed, version, status } = valueOf(await store.load("claims", "run-1")) ?? {};
    const last = entries.at(-1)?.output;
    assert.deepEqual([version, status, computed?.["part"]], [PARTS + 1, "running", last?.["part"]]);
    for (const index of parts.keys()) assert.equal(computed?.[`part${index}`], index);
  }),
  contractCase(
    "concurrent commits at any version write all their commands, and release a collect",
    async ({ store }) => {
      const parts = await fannedOut(store);
      await Promise.all(parts.slice(1).map((part) => store.commit(part)));
      assert.equal((await statusesOf(store))[PARTS], "sum joining");
      const extra = commitOf({ stepId: "extra", expectedVersion: undefined });
      await Promise.all([...parts.slice(0, 1), extra].map((part) => store.commit(part)));
      assert.deepEqual((await statusesOf(store)).slice(0, PARTS + 1), [
        ...Array.from({ length: PARTS }, () => "verify dispatched"),
        "sum pending",
      ]);
      const written = (await rowsOf(store)).filter(({ kind }) => kind === "emit");
      assert.deepEqual(written.map(({ stepId }) => stepId).toSorted(), parts.map(({ stepId }) => stepId).toSorted());
    },
  ),
  contractCase("a duplicate among concurrent commits doesn't prevent the others", async ({ store }) => {
    const parts = await fannedOut(store);
    const { version } = valueOf(await store.commit(parts[3] ?? commitOf()));
    const results = await Promise.all(parts.map((part) => store.commit(part)));
    assert.deepEqual(
      results.map((result) => valueOf(result).duplicate),
      parts.map((_part, index) => index === 3),
    );
    const third = results[3];
    assert.equal(third && valueOf(third).version, version);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.version, PARTS + 1);
  }),
  contractCase("a block among concurrent commits defers only its own commands", async ({ store }) => {
    const parts = await fannedOut(store);
    const [first = commitOf(), ...rest] = parts;
    const blocked = { ...first, commands: [review("look"), emit("later", 1)] };
    const [block] = await Promise.all([blocked, ...rest].map((part) => store.commit(part)));
    const { blockId } = block === undefined ? {} : valueOf(block);
    const open = valueOf(await store.blocks.list());
    assert.deepEqual(
      open.map((each) => [each.blockId, each.stepId]),
      [[blockId, first.stepId]],
    );
    const statuses = await statusesOf(store);
    assert.deepEqual([statuses[0], statuses[PARTS]], ["verify blocked", "sum joining"]);
    assert.deepEqual(statuses.filter((status) => status === "later deferred").length, 1);
    assert.deepEqual(statuses.filter((status) => status === "told pending").length, PARTS - 1);
  }),
];

const RUN = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1" };

/** Commits a fanout with a collect, and returns the commits of its parts. */
async function fannedOut(store: RunStore): Promise<readonly StepCommit[]> {
  const inputs = Array.from({ length: PARTS }, (_, index) => index);
  valueOf(await store.commit(commitOf({ commands: [fanout("verify", inputs, { then: "sum" })] })));
  const rows = (await rowsOf(store)).slice(0, PARTS);
  return rows.map(({ key }, part) =>
    commitOf({
      stepId: key,
      expectedVersion: undefined,
      output: { part, [`part${part}`]: part },
      events: [{ type: "verified", payload: part }],
      commands: [emit("told", part)],
    }),
  );
}
