// @module-tag deep
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readNotes } from "./read-notes.ts";

const PROCESSES = 6;
const ROUNDS = process.env["VERITEST_FAULTS"] === "full" ? 20 : 3;

/** Writes notes of all sizes for ever; after each, keeps in a file of its own how many were acknowledged. */
const SCRIPT = `
  const { openNotes } = await import(${JSON.stringify(join(import.meta.dirname, "open-notes.ts"))});
  const { openSync, writeSync } = await import("node:fs");
  const [directory, acknowledged, run] = process.argv.slice(1);
  const notes = openNotes({ directory, clock: Date.now });
  const count = openSync(acknowledged, "w");
  for (let number = 1; ; number += 1) {
    notes.write({ type: "status", run, body: number + " " + "x".repeat(number % 20 === 0 ? 60_000 : number % 300) });
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
async function crashRound(directory: string, round: number): Promise<Map<string, number>> {
  const acknowledged = realpathSync(mkdtempSync(join(tmpdir(), "veritest-acknowledged-")));
  const children = Array.from({ length: PROCESSES }, (_, index) =>
    spawn(
      process.execPath,
      ["--input-type=module", "-e", SCRIPT, directory, join(acknowledged, String(index)), `${round}-${index}`],
      { stdio: ["ignore", "pipe", "inherit"] },
    ),
  );
  await Promise.all(children.map(ready));
  for (const child of children) {
    await new Promise((resolve) => {
      setTimeout(resolve, Math.random() * 30);
    });
    await killed(child);
  }
  return new Map(
    children.map((_, index) => [`${round}-${index}`, Number(readFileSync(join(acknowledged, String(index)), "utf8"))]),
  );
}

test(
  `processes killed while appending lose no acknowledged line (${PROCESSES} × ${ROUNDS})`,
  async () => {
    const directory = join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-crash-"))), "notes");
    const expected = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [run, count] of await crashRound(directory, round)) expected.set(run, count);
    const { values, problems, torn } = readNotes(directory);
    expect(problems).toStrictEqual([]);
    expect(torn).toBeLessThanOrEqual(PROCESSES * ROUNDS);
    const numbers = Map.groupBy(
      values.map(({ run, body }) => ({ run, number: Number(body.split(" ")[0]) })),
      ({ run }) => run,
    );
    expect(expected.size).toBe(PROCESSES * ROUNDS);
    for (const [run, count] of expected) {
      const written = numbers.get(run)?.map(({ number }) => number) ?? [];
      // Each note of a writer is there once and in its order, up to the last one that it was told of.
      expect(written).toStrictEqual(Array.from({ length: written.length }, (_, index) => index + 1));
      expect(written.length).toBeGreaterThanOrEqual(count);
    }
    rmSync(directory, { recursive: true });
  },
  ROUNDS * 20_000,
);
