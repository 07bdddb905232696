import { appendFileSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleRun } from "../../test-support/sample-run.ts";
import { readHistory, rememberRun } from "./run-history.ts";

function state(): string {
  return join(mkdtempSync(join(tmpdir(), "veritest-history-")), "state");
}

test("a run knows the runs before it, the oldest first", () => {
  const directory = state();
  const { startedAt, status, durationMs, counts, usage } = sampleRun();
  expect(rememberRun({ state: directory }, sampleRun())).toStrictEqual([]);
  expect(rememberRun({ state: directory }, { ...sampleRun(), durationMs: 1 })).toStrictEqual([
    { startedAt, status, durationMs, counts, usage },
  ]);
  expect(readHistory(directory).map((entry) => entry.durationMs)).toStrictEqual([4_210, 1]);
});

test("keeps fifty runs", () => {
  const directory = state();
  for (let run = 0; run < 60; run += 1) rememberRun({ state: directory }, { ...sampleRun(), durationMs: run });
  const history = readHistory(directory);
  expect([history.length, history[0]?.durationMs, history.at(-1)?.durationMs]).toStrictEqual([50, 10, 59]);
  expect(readdirSync(directory)).toStrictEqual(["history.ndjson"]);
});

test("skips invalid lines", () => {
  const directory = state();
  rememberRun({ state: directory }, sampleRun());
  appendFileSync(
    join(directory, "history.ndjson"),
    '{"startedAt":\n[]\nnull\n{"startedAt":"x","status":"great","durationMs":1,"counts":{}}\n{"startedAt":"x","status":"pass","durationMs":1,"counts":{"total":"<b>"}}\n{"startedAt":"x","status":"pass","durationMs":1,"counts":{},"usage":{"calls":"<b>"}}\n',
  );
  expect(readHistory(directory)).toHaveLength(1);
});
