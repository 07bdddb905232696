// @module-tag deep
import * as fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestPostgres, startPostgres } from "../../../../fixtures/postgres.ts";
import { unwrap } from "../../../kernel/result.ts";
import { type Command, emit, fanout, invoke, review, suspend } from "../../../kernel/step/command.ts";
import type { Decision } from "../../../kernel/step/block.ts";
import type { CommandRow, RunStore, StepCommit } from "./contract.ts";
import { createMemoryStore } from "./memory.ts";
import { initPostgresStore, openPostgresStore } from "./postgres.ts";
import { openSqliteStore } from "./sqlite.ts";

const FULL = process.env["VERITEST_FAULTS"] === "full";

const SHAPES: Readonly<Record<string, (salt: number) => readonly Command[]>> = {
  nothing: () => [],
  invoke: (salt) => [invoke("next", { salt })],
  fanout: () => [fanout("next", [1, 2, 3]), emit("told", 1)],
  emit: (salt) => [emit("told", salt)],
  review: () => [review("look"), invoke("next", 1), emit("told", 2)],
  suspend: () => [suspend({ reason: "wait", checkpoint: { at: 1 } }), invoke("next", 1)],
  "two blocks": () => [review("a"), review("b"), emit("told", 1)],
  duplicates: () => [emit("told", 1), emit("told", 1)],
};

const run = fc.integer({ min: 0, max: 2 });
const shape = fc.constantFrom(...Object.keys(SHAPES));
const place = fc.nat({ max: 20 });
const decision: fc.Arbitrary<Decision> = fc.oneof(
  fc.constantFrom<Decision>({ kind: "approve" }, { kind: "reject" }),
  fc.record({ kind: fc.constant("override" as const), patch: fc.constantFrom({ risk: "low" }, { risk: undefined }) }),
  fc.record({ kind: fc.constant("resume" as const), data: fc.integer() }),
);

/** What people, workers, queues and crashes do; numbers choose among what is there. */
const deed = fc.oneof(
  fc.record({ kind: fc.constant("start" as const), run }),
  fc.record({
    kind: fc.constant("commit" as const),
    run,
    step: fc.nat({ max: 3 }),
    off: fc.constantFrom(0, 0, 0, -1, 1, undefined),
    shape,
  }),
  fc.record({ kind: fc.constant("lease" as const), owner: fc.constantFrom("a", "b"), limit: fc.nat({ max: 4 }) }),
  fc.record({ kind: fc.constant("deliver" as const), place, shape }),
  fc.record({ kind: fc.constant("mark" as const), place, owner: fc.constantFrom("a", "b") }),
  fc.record({ kind: fc.constant("fail" as const), place, retry: fc.boolean() }),
  fc.record({ kind: fc.constant("crash" as const), place }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.nat({ max: 80 }) }),
  fc.record({ kind: fc.constant("reclaim" as const) }),
  fc.record({ kind: fc.constant("resolve" as const), place, decision }),
  fc.record({ kind: fc.constant("overlay" as const), run, off: fc.constantFrom(0, 0, -1) }),
);
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never;

/** The stores side by side, and what a worker remembers. */
class World {
  readonly held: CommandRow[] = [];
  readonly stores: readonly RunStore[];
  readonly time: { now: number };
  constructor(stores: readonly RunStore[], time: { now: number }) {
    this.stores = stores;
    this.time = time;
  }

  /** The same call of each store, which has to answer the same. */
  async same<T>(call: (store: RunStore) => Promise<T>): Promise<T> {
    const [first, ...others] = await Promise.all(this.stores.map(async (store) => plain(await call(store))));
    for (const other of others) expect(other).toEqual(first);
    if (first === undefined) throw new Error("There is no store.");
    return first;
  }

  async version(runId: string): Promise<number> {
    return unwrap(await this.same((store) => store.load("w", runId)))?.version ?? 0;
  }

  async do(deed: Deed): Promise<void> {
    switch (deed.kind) {
      case "start":
        await this.same((store) =>
          store.start({ ...REF, runId: `r${deed.run}`, step: "first", input: { n: deed.run } }),
        );
        return;
      case "commit": {
        const runId = `r${deed.run}`;
        const { off } = deed;
        const expectedVersion = off === undefined ? undefined : Math.max(0, (await this.version(runId)) + off);
        await this.commit({ runId, stepId: `s${deed.step}`, stepName: "first", expectedVersion }, deed.shape);
        return;
      }
      case "lease":
        this.held.push(
          ...unwrap(
            await this.same((store) => store.outbox.lease({ owner: deed.owner, limit: deed.limit, leaseMs: 50 })),
          ),
        );
        return;
      case "deliver": {
        const row = this.at(deed.place);
        if (row === undefined || row.kind === "emit") return;
        const expectedVersion = await this.version(row.runId);
        await this.commit({ runId: row.runId, stepId: row.key, stepName: row.target, expectedVersion }, deed.shape);
        return;
      }
      case "mark": {
        const key = this.at(deed.place)?.key;
        if (key !== undefined)
          await this.same((store) => store.outbox.markDispatched({ owner: deed.owner, keys: [key] }));
        return;
      }
      case "fail": {
        const row = this.at(deed.place);
        if (row === undefined) return;
        const error = { code: "x", message: "x" };
        const mark = { owner: row.leaseOwner ?? "a", key: row.key, error };
        const later = deed.retry ? { retryMs: 10 } : {};
        await this.same((store) => store.outbox.markFailed({ ...mark, ...later }));
        const failed = { ...REF, runId: row.runId, stepId: row.key, stepName: row.target };
        await this.same((store) =>
          store.recordFailure({ ...failed, error: { ...error, retryable: true }, attempt: 1 }),
        );
        return;
      }
      case "crash":
        if (this.held.length > 0) this.held.splice(deed.place % this.held.length, 1);
        return;
      case "pass":
        this.time.now += deed.ms;
        return;
      case "reclaim":
        await this.same((store) => store.outbox.reclaim());
        return;
      case "resolve": {
        const blocks = unwrap(await this.same((store) => store.blocks.list({ resolved: true })));
        const block = blocks[deed.place % Math.max(1, blocks.length)];
        const resolve = { blockId: block?.blockId ?? "none", decision: deed.decision, reason: "r", actor: "a" };
        await this.same((store) => store.blocks.resolve(resolve));
        return;
      }
      case "overlay": {
        const runId = `r${deed.run}`;
        const expectedVersion = Math.max(0, (await this.version(runId)) + deed.off);
        const change = {
          workflowId: "w",
          runId,
          expectedVersion,
          overlay: { risk: expectedVersion },
          reason: "r",
          actor: "a",
        };
        await this.same((store) => store.setOverlay(change));
      }
    }
  }

  at(index: number): CommandRow | undefined {
    return this.held[index % Math.max(1, this.held.length)];
  }

  async commit(
    step: Pick<StepCommit, "runId" | "stepId" | "stepName" | "expectedVersion">,
    name: string,
  ): Promise<void> {
    const commands = SHAPES[name]?.(step.expectedVersion ?? 0) ?? [];
    const events = [{ type: "ran", payload: name }];
    await this.same((store) =>
      store.commit({ ...REF, ...step, output: { [name]: step.stepId, risk: name }, events, commands }),
    );
  }

  /** What holds after whatever was done. */
  async check(): Promise<void> {
    const runs = unwrap(await this.same((store) => store.list()));
    const keys: string[] = [];
    for (const { runId, version } of runs) {
      unwrap(await this.same((store) => store.load("w", runId)));
      const entries = unwrap(await this.same((store) => store.entries("w", runId)));
      expect(entries.map((entry) => entry.version)).toEqual(Array.from({ length: version }, (_, index) => index + 1));
      const rows = unwrap(await this.same((store) => store.commands("w", runId)));
      keys.push(...rows.map(({ key }) => key));
      const wanted = entries.flatMap(({ kind, commands, events }) => {
        if (kind === "start") return 1;
        if (commands.some(({ type }) => type === "suspend")) return 0;
        const resumed = events.filter(({ type }) => type === "suspend.resumed").length;
        const rows = commands.filter(({ type }) => type !== "review");
        return resumed + rows.flatMap((one) => (one.type === "fanout" ? one.inputs : [one])).length;
      });
      expect(rows).toHaveLength(wanted.reduce((sum, count) => sum + count, 0));
      const blocks = unwrap(await this.same((store) => store.blocks.list({ runId })));
      expect(new Set(blocks.map(({ stepId }) => stepId)).size).toBe(blocks.length);
      if (blocks.length === 0) expect(rows.filter(({ status }) => status === "deferred")).toEqual([]);
    }
    expect(new Set(keys).size).toBe(keys.length);
  }
}

const REF = { workflowId: "w", workflowVersion: "1.0.0" };

/** Errors by what callers read of them: words may name what only one store knows. */
function plain<T>(answer: T): T {
  if (typeof answer === "object" && answer !== null && "error" in answer && typeof answer.error === "object")
    Reflect.deleteProperty(answer.error ?? {}, "cause");
  return answer;
}

async function agree(runs: number, open: (clock: () => number) => Promise<readonly RunStore[]>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 4, maxLength: 30, size: "max" }), async (deeds) => {
      const time = { now: 1_700_000_000_000 };
      const stores = await open(() => time.now);
      const context = new World(stores, time);
      for (const one of deeds) await context.do(one);
      await context.check();
      await Promise.all(stores.map((store) => store.close()));
    }),
    { numRuns: runs },
  );
}

describe("stores agree and lose no command in any sequence of actions", () => {
  test("memory and sqlite", async () => {
    await agree(FULL ? 5000 : 250, async (clock) => [
      createMemoryStore({ clock }),
      unwrap(await openSqliteStore({ path: ":memory:", clock })),
    ]);
  });

  describe("memory and postgres", () => {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await startPostgres();
      unwrap(await initPostgresStore({ url: server.url }));
    });
    afterAll(async () => server?.stop());

    test("memory and postgres", async () => {
      const admin = new Client({ connectionString: server.url });
      await admin.connect();
      await agree(FULL ? 1000 : 25, async (clock) => {
        // Few rows: deleting them is many times faster than truncating the tables.
        for (const table of ["runs", "entries", "commands", "blocks"])
          await admin.query(`delete from veritest.${table}`);
        return [
          createMemoryStore({ clock }),
          unwrap(await openPostgresStore({ url: server.url, connections: 1, clock })),
        ];
      });
      await admin.end();
    });
  });
});
