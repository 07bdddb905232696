import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { openStore } from "./open-store.ts";
import { openSqliteStore } from "./sqlite.ts";

const directory = mkdtempSync(join(tmpdir(), "veritest-sqlite-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Time after which SQLite gives up on a locked file: a connection that blocks another one takes all of it. */
const LOCK_TIMEOUT_MS = 10_000;

test("opens one new file several times at once without blocking", async () => {
  const begun = performance.now();
  const path = join(directory, "new.sqlite");
  const opened = await Promise.all([1, 2, 3].map(async () => openSqliteStore({ path })));
  expect(opened.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(performance.now() - begun).toBeLessThan(LOCK_TIMEOUT_MS);
  for (const store of opened) await unwrap(store).close();
});

test("refuses an empty path, for which SQLite makes a file that ends with the process", async () => {
  const message =
    "The path of the SQLite store is empty, so its data would end with the process. Pass the path of a file, e.g. runs.sqlite.";
  expect(await openSqliteStore({ path: "" })).toMatchObject({ error: { code: "bad_url", message } });
  expect(await openStore("sqlite:", { init: true })).toMatchObject({ error: { code: "bad_url", message } });
});

/** Opens new files at the same moment as the other threads do, and reports the errors. */
const OPENING = `
const { parentPort, workerData: { directory, module, opened, threads } } = require("node:worker_threads");
import(module).then(async ({ openSqliteStore }) => {
  const count = new Int32Array(opened);
  for (let round = 1; round <= 100; round += 1) {
    Atomics.add(count, 0, 1);
    while (Atomics.load(count, 0) < round * threads);
    const store = await openSqliteStore({ path: directory + "/race-" + round + ".sqlite" });
    if (store.ok) await store.value.close();
    else parentPort.postMessage(store.error.message);
  }
});`;

test("opens new files in several threads at the same moment", { tags: "deep" }, async () => {
  const opened = new SharedArrayBuffer(4);
  const module = new URL("sqlite.ts", import.meta.url).href;
  const messages: unknown[] = [];
  await Promise.all(
    [1, 2, 3].map(async () => {
      const worker = new Worker(OPENING, { eval: true, workerData: { directory, module, opened, threads: 3 } });
      worker.on("message", (message) => messages.push(message));
      await once(worker, "exit");
    }),
  );
  expect(messages).toEqual([]);
});

mkdirSync(join(directory, "folder"));
symlinkSync(join(directory, "folder"), join(directory, "link"));

test.each([
  ["one path", ["shared.sqlite", "shared.sqlite"]],
  ["a link to its directory", ["folder/linked.sqlite", "link/linked.sqlite"]],
])("writes to one new file through two connections at the same time, by %s", async (_title, names) => {
  const paths = names.map((name) => join(directory, name));
  const begun = performance.now();
  const opened = await Promise.all(paths.map(async (path) => openSqliteStore({ path })));
  const stores = opened.map(unwrap);
  const started = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const run = { workflowId: "w", workflowVersion: "1.0.0", runId: `r${index}`, step: "s", input: index };
      return stores[index % 2]?.start(run);
    }),
  );
  expect(started.filter((result) => result?.ok === true)).toHaveLength(40);
  const leases = await Promise.all(
    stores.map(async ({ outbox }, index) => outbox.lease({ owner: `w${index}`, limit: 20, leaseMs: 1000 })),
  );
  expect(new Set(leases.flatMap((lease) => unwrap(lease).map(({ key }) => key))).size).toBe(40);
  expect(performance.now() - begun).toBeLessThan(LOCK_TIMEOUT_MS);
  for (const store of stores) await store.close();
});

/** Writes large inputs until the limit on file sizes, as on a full disk; then a small one, and reports the results. */
const FILLING = `
const [module, path] = process.argv.slice(1);
import(module).then(async ({ openSqliteStore }) => {
  const { value: store } = await openSqliteStore({ path });
  const start = async (runId, input) =>
    store.start({ workflowId: "w", workflowVersion: "1.0.0", runId, step: "s", input });
  const results = [];
  for (let n = 1; n <= 4; n += 1) results.push(await start("r" + n, "x".repeat(900_000)));
  const { error } = results.find(({ ok }) => !ok);
  const { code, message, retryable } = error;
  const runs = await store.list();
  const lost = results.filter(({ ok }) => ok).length - runs.value.length;
  console.log(JSON.stringify({ code, message, retryable, lost, stored: runs.value.length }));
});`;

test.each([
  // Blocks of 512 bytes. In the middle of a write SQLite reports a full disk, before it a failed write.
  ["database or disk is full", 4000],
  ["disk I/O error", 6000],
])("names the cause of a failed write, which may succeed later: %s", { tags: "deep" }, async (_cause, blocks) => {
  const path = join(directory, `full-${blocks}.sqlite`);
  const module = new URL("sqlite.ts", import.meta.url).href;
  const limited = `ulimit -f ${blocks} && exec "$0" "$@"`;
  const out = execFileSync("sh", ["-c", limited, process.execPath, "-e", FILLING, module, path], { encoding: "utf8" });
  const report: unknown = JSON.parse(out);
  const message = expect.stringMatching(
    /^veritest can't write to the run store: (?:database or disk is full|disk I\/O error)\. Check the disk and its free space, then try again\.$/,
  );
  expect(report).toEqual({ code: "unavailable", message, retryable: true, lost: 0, stored: expect.any(Number) });
  expect(report).not.toMatchObject({ stored: 0 });
  // The store works again as soon as there is space.
  const store = unwrap(await openSqliteStore({ path }));
  const run = { workflowId: "w", workflowVersion: "1.0.0", runId: "later", step: "s", input: {} };
  expect(unwrap(await store.start(run)).started).toBe(true);
  await store.close();
});
