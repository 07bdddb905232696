import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type NoteEntry, readNotes } from "./read-notes.ts";

const PROCESSES = 6;
const ROUNDS = process.env["VERITEST_FAULTS"] === "full" ? 20 : 3;

/** Writes notes of all sizes for ever; after each, keeps in a file of its own how many were acknowledged. */
const SCRIPT = `
  const { openNotes } = await import(${JSON.stringify(join(import.meta.dirname, "open-notes.ts"))});
  const { openSync, writeSync } = await import("node:fs");
  const [directory, acknowledged] = process.argv.slice(1);
  const notes = openNotes({ directory, clock: Date.now, rollBytes: Infinity });
  const count = openSync(acknowledged, "w");
  for (let number = 1; ; number += 1) {
    notes.write({ type: "status", run: "r", body: number + " " + "x".repeat(number % 20 === 0 ? 60_000 : number % 300) });
    writeSync(count, String(number).padStart(9), 0);
    if (number === 1) process.stdout.write("ready");
  }`;

async function ready(child: ChildProcess): Promise<void> {
  await new Promise((resolve) => {
    child.stdout?.once("data", resolve);
  });
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => {
    child.once("exit", resolve);
  });
  child.kill("SIGKILL");
  await gone;
}

/** Starts the writers, and kills each at a moment of its own. Returns how many notes each was told to be written. */
async function crashRound(directory: string): Promise<Map<number, number>> {
  const acknowledged = realpathSync(mkdtempSync(join(tmpdir(), "veritest-acknowledged-")));
  const children = Array.from({ length: PROCESSES }, (_, index) =>
    spawn(process.execPath, ["--input-type=module", "-e", SCRIPT, directory, join(acknowledged, String(index))], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  await Promise.all(children.map(ready));
  for (const child of children) {
    await new Promise((resolve) => {
      setTimeout(resolve, Math.random() * 30);
    });
    await killed(child);
  }
  return new Map(
    children.map(({ pid = 0 }, index) => [pid, Number(readFileSync(join(acknowledged, String(index)), "utf8"))]),
  );
}

test(
  `processes killed while they append lose nothing that was acknowledged (${PROCESSES} × ${ROUNDS})`,
  async () => {
    const directory = join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-crash-"))), "notes");
    const expected = new Map<number, number>();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [pid, count] of await crashRound(directory)) expected.set(pid, count);
    const found = new Map<number, number>();
    const torn = new Map<string, number>();
    const damage: NoteEntry[] = [];
    const pids = new Map(readdirSync(directory).map((name) => [name, Number(name.split("-")[1])]));
    for await (const entry of readNotes(directory)) {
      if (entry.kind === "note") count(found, Number(entry.note.body.split(" ")[0]) - entry.note.seq);
      else if (entry.kind === "torn") torn.set(entry.file, (torn.get(entry.file) ?? 0) + 1);
      else damage.push(entry);
    }
    expect(damage).toStrictEqual([]);
    expect(Math.max(0, ...torn.values())).toBeLessThanOrEqual(1);
    // Every note has the number that its writer gave it: none is missing before another, in any segment.
    expect([...found.keys()]).toStrictEqual([0]);
    expect(pids.size).toBe(PROCESSES * ROUNDS);
    for (const [name, pid] of pids)
      expect(wholeLines(join(directory, name))).toBeGreaterThanOrEqual(expected.get(pid) ?? Infinity);
    rmSync(directory, { recursive: true });
  },
  ROUNDS * 20_000,
);

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function wholeLines(path: string): number {
  return readFileSync(path, "utf8").split("\n").length - 1;
}
