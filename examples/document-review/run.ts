/**
 * Runs a workflow that fans out, waits for a signature, resumes and is reviewed: in a SQLite file, and if DATABASE_URL names
 * a PostgreSQL database, in it by two worker processes.
 */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { unwrap } from "veritest/kernel";
import { createRunner } from "veritest/runner";
import { initPostgresStore, openPostgresStore } from "veritest/store/postgres";
import { openSqliteStore } from "veritest/store/sqlite";
import type { Decision, RunStore, StoredRun } from "veritest/store";
import { documents } from "./workflow.ts";

const TEXT = "First page.\fThe second page.\fThird.";
const FINAL = { pages: 3, page1: 11, page2: 16, page3: 6, signedBy: "Ann" };

/** Returns a run as soon as it is blocked or completed. */
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

async function inPostgres(url: string): Promise<void> {
  console.log("\nIn PostgreSQL, by two worker processes");
  unwrap(await initPostgresStore({ url }));
  const store = unwrap(await openPostgresStore({ url }));
  const worker = fileURLToPath(new URL("worker.ts", import.meta.url));
  const workers = ["worker A", "worker B"].map((name) =>
    spawn(process.execPath, [worker, url, name], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  await Promise.all(workers.map(ready));
  await throughAll(store, async (runId) => afterWorkers(store, runId));
  const ended = workers.map(async (child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of workers) child.kill("SIGTERM");
  assert.deepEqual(await Promise.all(ended), [0, 0]);
  await store.close();
}

/** Shows the output of a worker, and waits until it is ready. */
async function ready({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  return new Promise((resolve) =>
    stdout.on("data", (output: Buffer) => {
      process.stdout.write(output);
      if (output.toString().includes("is ready")) resolve();
    }),
  );
}

/** Waits until a run is blocked or completed, and no page of it is left to read. */
async function afterWorkers(store: RunStore, runId: string): Promise<StoredRun> {
  for (let turn = 0; turn < 600; turn += 1) {
    const run = unwrap(await store.load("documents", runId));
    const commands = unwrap(await store.commands("documents", runId));
    const rests = commands.every(({ finished: done, status }) => done || status === "deferred");
    if (run !== undefined && run.status !== "running" && rests) return run;
    await sleep(50);
  }
  throw new Error("The workers did not complete the run in half a minute.");
}

const directory = mkdtempSync(join(tmpdir(), "veritest-example-"));
try {
  await inSqlite(directory);
  const { DATABASE_URL: url } = process.env;
  if (url !== undefined) await inPostgres(url);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
