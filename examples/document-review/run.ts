/**
 * A workflow that fans out, suspends, resumes and is reviewed: once in a SQLite file, then in PostgreSQL by two worker
 * processes. `node examples/document-review/run.ts`. Needs no key and no server of yours.
 */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../../fixtures/postgres.ts";
import { unwrap } from "../../src/kernel/result.ts";
import { createRunner } from "../../src/runner.ts";
import { initPostgresStore, openPostgresStore } from "../../src/store-postgres.ts";
import { openSqliteStore } from "../../src/store-sqlite.ts";
import type { Decision, RunStore, StoredRun } from "../../src/store.ts";
import { documents } from "./workflow.ts";

const TEXT = "First page.\fThe second page.\fThird.";
const FINAL = { pages: 3, page1: 11, page2: 16, page3: 6, signedBy: "Ann" };

/** Waits until a run rests, works on it meanwhile where `work` does, and answers it. */
type Rest = (runId: string) => Promise<StoredRun>;

async function resolveOpen(store: RunStore, decision: Decision): Promise<void> {
  const [block] = unwrap(await store.blocks.list());
  assert.ok(block !== undefined);
  console.log(`  waits: ${block.reason} → ${decision.kind}`);
  unwrap(await store.blocks.resolve({ blockId: block.blockId, decision, reason: "example", actor: "ann" }));
}

async function throughAll(store: RunStore, rest: Rest): Promise<void> {
  const starter = createRunner({ store, workflows: [documents] });
  unwrap(await starter.startRun({ workflow: "documents", step: "split", input: { text: TEXT }, runId: "doc-1" }));
  assert.equal((await rest("doc-1")).status, "blocked");
  await resolveOpen(store, { kind: "resume", data: "Ann" });
  assert.equal((await rest("doc-1")).status, "blocked");
  await resolveOpen(store, { kind: "approve" });
  const run = await rest("doc-1");
  assert.deepEqual([run.status, run.computed], ["completed", FINAL]);
  console.log(`  ${run.status}: ${JSON.stringify(run.computed)}`);
}

async function inSqlite(directory: string): Promise<void> {
  console.log("\nIn a SQLite file, in this process");
  const store = unwrap(await openSqliteStore({ path: join(directory, "runs.sqlite") }));
  const sinks = { "*": (_payload: unknown, { topic }: { topic: string }) => console.log(`  brings out ${topic}`) };
  const runner = createRunner({ store, workflows: [documents], sinks });
  await throughAll(store, async (runId) => unwrap(await runner.runUntilIdle("documents", runId)));
  await store.close();
}

async function inPostgres(): Promise<void> {
  console.log("\nIn PostgreSQL, by two worker processes");
  const server = await startPostgres();
  try {
    unwrap(await initPostgresStore({ url: server.url }));
    const store = unwrap(await openPostgresStore({ url: server.url }));
    const worker = fileURLToPath(new URL("worker.ts", import.meta.url));
    const workers = ["worker A", "worker B"].map((name) =>
      spawn(process.execPath, [worker, server.url, name], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    await Promise.all(workers.map(ready));
    await throughAll(store, async (runId) => finished(store, runId));
    const ended = workers.map(async (child) => new Promise((resolve) => child.once("exit", resolve)));
    for (const child of workers) child.kill("SIGTERM");
    assert.deepEqual(await Promise.all(ended), [0, 0]);
    await store.close();
  } finally {
    await server.stop();
  }
}

/** Passes on what a worker says, and waits for the word that it is ready. */
async function ready({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  return new Promise((resolve) =>
    stdout.on("data", (said: Buffer) => {
      process.stdout.write(said);
      if (said.toString().includes("is ready")) resolve();
    }),
  );
}

/** A run that rests has nothing left to lease: a blocked one may still have pages to read. */
async function finished(store: RunStore, runId: string): Promise<StoredRun> {
  for (let waited = 0; waited < 600; waited += 1) {
    const run = unwrap(await store.load("documents", runId));
    const commands = unwrap(await store.commands("documents", runId));
    const rests = commands.every(({ finished: done, status }) => done || status === "deferred");
    if (run !== undefined && run.status !== "running" && rests) return run;
    await sleep(50);
  }
  throw new Error("The workers did not get there in half a minute.");
}

const directory = mkdtempSync(join(tmpdir(), "veritest-example-"));
try {
  await inSqlite(directory);
  await inPostgres();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
