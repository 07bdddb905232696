/**
 * Measures what checks catch: changes documents in many ways and counts what both runners say, by class. Exits with 1
 * where a change came out clean, noise did not, or a cause was told that is none: `npm run bench:signal -- --help`.
 */
import { parseArgs } from "node:util";
import { hashText } from "../../src/kernel/json/hash.ts";
import { ensureBuilt } from "../../scripts/trial/ensure-built.ts";
import type { RunnerKind } from "../runner-project.ts";
import { type SignalDocument, readDocuments, syntheticReceipts } from "./documents.ts";
import { planCases } from "./plan.ts";
import { runPlan } from "./run-plan.ts";
import { linesPerChange, renderTally, tallyOf } from "./tally.ts";

const HELP = `npm run bench:signal -- [documents] [--part look|held] [--most n] [--runner vitest|jest]

documents  a folder of .txt files, or a file of JSON lines { id, text }; also SIGNAL_DATA.
           Default: 12 receipts that are made up, the same each time.
--part     look: half of the documents, to look at while something is mended; held: the other half, to measure with
--most     how many documents at most
`;
const MADE = 12;
const SHOWN = 40;

interface Asked {
  readonly documents: readonly SignalDocument[];
  readonly runners: readonly RunnerKind[];
}

function readAsked(): Asked | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      part: { type: "string" },
      most: { type: "string" },
      runner: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) return undefined;
  const path = positionals[0] ?? process.env["SIGNAL_DATA"];
  const all = path === undefined ? syntheticReceipts(MADE) : readDocuments(path);
  const inPart = all.filter(({ id }) => values.part === undefined || partOf(id) === values.part);
  const runners = (["vitest", "jest"] as const).filter((kind) => values.runner === undefined || kind === values.runner);
  const most = values.most === undefined ? inPart.length : Number(values.most);
  return { documents: inPart.slice(0, most), runners };
}

/** By the id alone, so that a document stays in its part whatever comes to it. */
function partOf(id: string): "look" | "held" {
  return Number.parseInt(hashText(id).slice(-1), 16) % 2 === 0 ? "look" : "held";
}

async function measure({ documents, runners }: Asked): Promise<boolean> {
  const plan = planCases(documents);
  let well = true;
  for (const kind of runners) {
    const started = performance.now();
    const tallies = tallyOf(plan, await runPlan(kind, plan));
    const wrong = tallies.flatMap((tally) => tally.wrong);
    console.log(`\n${kind}: ${documents.length} documents, ${plan.length} checks\n\n${renderTally(tallies)}`);
    console.log(
      `\n${[...wrong.slice(0, SHOWN), ...(wrong.length > SHOWN ? [`… ${wrong.length} in all`] : [])].join("\n")}`,
    );
    console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);
    const lines = linesPerChange(tallies);
    console.log(lines.text);
    well &&= wrong.length === 0 && lines.isWithin;
  }
  return well;
}

const asked = readAsked();
if (asked === undefined) console.log(HELP);
else {
  if (asked.documents.length === 0 || asked.runners.length === 0) throw new Error(`Nothing to measure.\n\n${HELP}`);
  ensureBuilt("vitest.js", "build:js");
  if (!(await measure(asked))) process.exitCode = 1;
}
