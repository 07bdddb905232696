import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchGroup, Row } from "../bench-group.ts";
import { withFactor } from "../machine-factor.ts";
import { runScript } from "../run-script.ts";
import { median } from "../timing.ts";

const ROUNDS = 1;
const CAP_SECONDS = 120;
const QUESTIONS = { same: "50 MB, the same", changed: "50 MB, one field changed" } as const;

/** Matches a value of 50 MB. */
export const large: BenchGroup = {
  name: "large",
  question: "What does matching a 50 MB value with its baseline cost, in a process of its own?",
  run: async () => {
    const root = mkdtempSync(join(tmpdir(), "veritest-bench-"));
    try {
      await once(root, "prepare");
      return [await measureQuestion(root, "same"), await measureQuestion(root, "changed")];
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
};

async function measureQuestion(root: string, how: keyof typeof QUESTIONS): Promise<Row> {
  const reports = [];
  for (let round = 0; round < ROUNDS; round += 1) reports.push(await withFactor(async () => once(root, how)));
  const rounds = reports.map(({ result }) => result.cpu);
  const metrics = [
    {
      name: "reference time",
      value: median(reports.map(({ result, factor }) => result.cpu / factor / 1000)),
      unit: "s",
    },
    { name: "peak memory", value: median(reports.map(({ result }) => result.peakMegabytes)), unit: "MB" },
  ];
  return { name: QUESTIONS[how], timings: [{ name: "veritest", rounds }], metrics, notes: [] };
}

async function once(root: string, how: string): Promise<{ readonly cpu: number; readonly peakMegabytes: number }> {
  const report = await runScript({ script: "large.ts", args: [root, how], capSeconds: CAP_SECONDS });
  const { cpu = CAP_SECONDS * 1000, peakMegabytes = Number.NaN, right = 0 } = report ?? {};
  if (report !== undefined && right !== 1) throw new Error(`large: wrong verdict on ${how}.`);
  return { cpu, peakMegabytes };
}
