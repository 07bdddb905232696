// @module-tag deep
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestPostgres, startPostgres } from "../../../../fixtures/postgres.ts";
import { COMMANDS_OF_A_RUN, killed } from "../../../../fixtures/store-workflow.ts";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { unwrap } from "../../../kernel/result.ts";
import type { RunStore } from "../store/contract.ts";
import { openStore } from "../store/open-store.ts";
import { initPostgresStore, openPostgresStore } from "../store/postgres.ts";
import { createPgBossQueue } from "./pg-boss.ts";
import { createRunner } from "./runner.ts";

const FULL = process.env["VERITEST_FAULTS"] === "full";
const RUNS = FULL ? 500 : 8;
const KILLS = FULL ? 100 : 3;
const WORKER = fileURLToPath(new URL("../../../../fixtures/store-worker.ts", import.meta.url));
const POISON_WORKER = fileURLToPath(new URL("../../../../fixtures/poison-worker.ts", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "veritest-kills-"));
let server: TestPostgres;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const TABLE = "create table effects (key text primary key, asked integer)";

/** Four workers of which one after the other dies at any moment, until as many died as are to. */
class Workers {
  readonly #args: readonly string[];
  readonly #children: ChildProcess[];
  killed = 0;
  constructor(...args: readonly string[]) {
    this.#args = args;
    this.#children = [1, 2, 3, 4].map(() => this.#spawn());
  }

  #spawn(): ChildProcess {
    const flags = ["--disable-warning=ExperimentalWarning", WORKER];
    return spawn(process.execPath, [...flags, ...this.#args], { stdio: ["ignore", "ignore", "inherit"] });
  }

  async killAtRandom(): Promise<void> {
    const place = Math.floor(Math.random() * this.#children.length);
    // Longer than a worker takes to begin, so that most die at work.
    await sleep(300 + Math.random() * 700);
    this.#children[place]?.kill("SIGKILL");
    this.#children[place] = this.#spawn();
    this.killed += 1;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        // One that has ended says so no second time.
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGTERM");
        await ended;
      }),
    );
  }
}

interface Effects {
  readonly keys: readonly string[];
  readonly asked: number;
}

interface Trial {
  /** Arguments of a worker: the store's URL, that of the effects, and its queue. */
  readonly args: readonly string[];
  readonly store: RunStore;
  readonly read: () => Promise<Effects>;
  readonly inTheMiddle?: () => Promise<void>;
}

async function survive({ args, store, read, inTheMiddle }: Trial): Promise<string> {
  const starter = createRunner({ store, workflows: [killed] });
  for (let run = 0; run < RUNS; run += 1)
    unwrap(await starter.startRun({ workflow: "killed", step: "split", input: { run }, runId: `r${run}` }));
  const workers = new Workers(...args);
  while (workers.killed < KILLS) {
    await workers.killAtRandom();
    if (workers.killed === Math.ceil(KILLS / 2)) await inTheMiddle?.();
  }
  for (let waited = 0; ; waited += 1) {
    const running = await store.list({ status: "running", limit: 1 });
    if (running.ok && running.value.length === 0) break;
    if (waited > 6000) throw new Error(`After ten minutes runs are not done: ${JSON.stringify(running)}`);
    await sleep(100);
  }
  await workers.stop();
  const keys: string[] = [];
  for (const { runId, status, version } of unwrap(await store.list({ limit: RUNS }))) {
    const commands = unwrap(await store.commands("killed", runId));
    expect([status, version, commands.length]).toEqual(["completed", 21, COMMANDS_OF_A_RUN]);
    expect(commands.filter((command) => command.status !== "dispatched" || !command.finished)).toEqual([]);
    keys.push(...commands.filter(({ kind }) => kind === "emit").map(({ key }) => key));
  }
  const effects = await read();
  expect(effects.keys.toSorted()).toEqual(keys.toSorted());
  expect(keys).toHaveLength((RUNS * COMMANDS_OF_A_RUN) / 2);
  await store.close();
  return `${RUNS * COMMANDS_OF_A_RUN} commands, ${workers.killed} kills, ${effects.asked - keys.length} effects asked again`;
}

/** Runs workers that kill themselves at the n-th entry that they write, one after the other, and one to the end. */
async function surviveGroups(urls: { store: string; effects: string }): Promise<void> {
  const store = unwrap(await openStore(urls.store, { init: true }));
  const starter = createRunner({ store, workflows: [killed] });
  const runs = ["grouped-0", "grouped-1"];
  for (const [run, runId] of runs.entries())
    unwrap(await starter.startRun({ workflow: "killed", step: "split", input: { run }, runId }));
  const spawnWorker = (...n: string[]): ChildProcess =>
    spawn(process.execPath, ["--disable-warning=ExperimentalWarning", WORKER, urls.store, urls.effects, ...n], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  for (const n of ["1", "4", "9"]) {
    const worker = spawnWorker(n);
    const signal = await new Promise((resolve) => worker.once("exit", (_code, by) => resolve(by)));
    expect([n, signal]).toEqual([n, "SIGKILL"]);
  }
  const last = spawnWorker();
  for (const runId of runs) while (unwrap(await store.load("killed", runId))?.status === "running") await sleep(100);
  const ended = new Promise((resolve) => last.once("exit", resolve));
  last.kill("SIGTERM");
  await ended;
  for (const runId of runs) await expectEachCommitOnce(store, runId);
  await store.close();
}

async function expectEachCommitOnce(store: RunStore, runId: string): Promise<void> {
  const commands = unwrap(await store.commands("killed", runId));
  expect(commands).toHaveLength(COMMANDS_OF_A_RUN);
  expect(commands.filter(({ finished, status }) => !finished || status !== "dispatched")).toEqual([]);
  const [start, split, ...parts] = unwrap(await store.entries("killed", runId));
  const versions = [start, split, ...parts].map((entry) => entry?.version);
  expect(versions).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  const steps = commands.filter(({ target }) => target === "part").map(({ key }) => key);
  expect(parts.map(({ stepId }) => stepId).toSorted()).toEqual(steps.toSorted());
  for (const { stepId, input, output } of parts) {
    const part: unknown = isPlainObject(input) ? input["part"] : undefined;
    const effects = commands.filter((command) => command.stepId === stepId);
    expect([output, effects.map(({ payload }) => payload)]).toEqual([{ [`part${String(part)}`]: true }, [{ part }]]);
  }
}

describe("workers killed while they write a group of commits", () => {
  test("write each commit completely or not at all: sqlite", async () => {
    const effects = join(directory, "group-effects.sqlite");
    const database = new DatabaseSync(effects);
    database.exec(TABLE);
    database.close();
    await surviveGroups({ store: `sqlite:${join(directory, "groups.sqlite")}`, effects });
  });

  test("write each commit completely or not at all: postgres", async () => {
    const { url } = await databaseOf("groups");
    await surviveGroups({ store: url, effects: url });
  });
});

describe("workers that a command ends", () => {
  test("give this command up after its attempts, and complete the other commands of its batch", {
    timeout: 120_000,
  }, async () => {
    const url = `sqlite:${join(directory, "poison.sqlite")}`;
    const log = join(directory, "poison.log");
    const store = unwrap(await openStore(url, { init: true }));
    const names = ["a", "exit", "b", "kill", "c"];
    for (const runId of names)
      unwrap(await store.start({ workflowId: "one", workflowVersion: "1.0.0", runId, step: "only", input: { runId } }));
    const ends: unknown[] = [];
    const isWorking = async (): Promise<boolean> => unwrap(await store.list({ status: "running" })).length > 0;
    while (await isWorking()) {
      const flags = ["--disable-warning=ExperimentalWarning", POISON_WORKER, url, log];
      const worker = spawn(process.execPath, flags, { stdio: ["ignore", "ignore", "inherit"] });
      const ended = new Promise((resolve) => worker.once("exit", (code, signal) => resolve(signal ?? code)));
      while (worker.exitCode === null && worker.signalCode === null && (await isWorking())) await sleep(20);
      if (!(await isWorking())) worker.kill("SIGTERM");
      ends.push(await ended);
    }
    const rows = await Promise.all(names.map(async (runId) => unwrap(await store.commands("one", runId))[0]));
    const poison = {
      code: "poison",
      message:
        "The worker ended 3 times while it ran this command. Fix the step, then run: npx veritest runs retry <run>",
    };
    expect(rows.map((row) => row?.error ?? row?.status)).toEqual([
      "dispatched",
      poison,
      "dispatched",
      poison,
      "dispatched",
    ]);
    // One of the two ended the worker of the batch, and then each ended two workers that ran it alone.
    expect(ends).toHaveLength(6);
    expect(ends.filter((end) => end === 1 || end === "SIGKILL")).toHaveLength(5);
    const begun = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(["exit", "kill"].map((name) => begun.filter((runId) => runId === name).length)).toEqual([3, 3]);
    expect(begun.length).toBeLessThanOrEqual(12);
    await store.close();
  });
});

describe("workers killed at any moment", () => {
  test("lose no command and deliver each effect once: sqlite", { timeout: 1_200_000 }, async () => {
    const effects = join(directory, "effects.sqlite");
    const database = new DatabaseSync(effects, { timeout: 20_000 });
    database.exec(TABLE);
    const url = `sqlite:${join(directory, "runs.sqlite")}`;
    const store = unwrap(await openStore(url, { init: true }));
    const read = async (): Promise<Effects> => effectsOf(database.prepare("select key, asked from effects").all());
    const told = await survive({ args: [url, effects], store, read });
    database.close();
    if (FULL) process.stdout.write(`sqlite: ${told}\n`);
  });

  test("lose no command and deliver each effect once: postgres, with a restart of the server", {
    timeout: 1_200_000,
  }, async () => {
    const { url, read } = await databaseOf("restarted");
    const store = unwrap(await openStore(url, { init: true }));
    const inTheMiddle = async (): Promise<void> => server.restart();
    const told = await survive({ args: [url, url], store, read, inTheMiddle });
    if (FULL) process.stdout.write(`postgres: ${told}\n`);
  });

  test("lose no command and deliver each effect once: postgres and pg-boss", { timeout: 1_200_000 }, async () => {
    const { url, read } = await databaseOf("queued");
    unwrap(await initPostgresStore({ url }));
    const queue = createPgBossQueue({ url });
    const store = unwrap(await openPostgresStore({ url, handOff: queue.handOff }));
    const told = await survive({ args: [url, url, "pg-boss"], store, read });
    await queue.stop();
    if (FULL) process.stdout.write(`postgres and pg-boss: ${told}\n`);
  });
});

/** Creates a database with a table for effects. */
async function databaseOf(name: string): Promise<{ url: string; read: () => Promise<Effects> }> {
  const query = async (connectionString: string, text: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text);
    await client.end();
    return rows;
  };
  const url = server.urlOf({ database: name });
  await query(server.url, `create database ${name}`);
  await query(url, TABLE);
  return { url, read: async () => effectsOf(await query(url, "select key, asked from effects")) };
}

function effectsOf(rows: readonly Readonly<Record<string, unknown>>[]): Effects {
  return {
    keys: rows.map(({ key }) => String(key)),
    asked: rows.reduce((sum, { asked }) => sum + Number(asked), 0),
  };
}
