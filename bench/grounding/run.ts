import { resolve } from "node:path";
import { measureAgreement } from "./agreement.ts";
import { type Count, measureCatchRates } from "./catch-rates.ts";
import { crossValidate } from "./cross-validate.ts";
import { type RatedAnswer, readRatedAnswers } from "./rated-answers.ts";
import { measureRecall } from "./recall.ts";
import { measureSpeed } from "./speed.ts";

/**
 * Prints what grounding achieves. Rated answers: the first argument, else `GROUNDING_DATA`, else beside the repository.
 */
async function main(): Promise<void> {
  const path = resolve(process.argv[2] ?? process.env["GROUNDING_DATA"] ?? "../shared/data/grounding-dev.jsonl");
  const rows = readRatedAnswers(path);
  if (rows === undefined)
    console.log(
      `No rated answers at ${path}: ` +
        "agreement and perturbations are skipped.\nGive a JSON-lines file as argument or in GROUNDING_DATA.\n",
    );
  else {
    const agreement = await measureAgreement(rows);
    console.log(`Agreement with people: ${agreement.answers} answers, ${agreement.withClaims} with claims\n`);
    for (const row of agreement.rows)
      console.log(
        `  ${row.method.padEnd(24)}  r ${row.pearson.toFixed(3)} (95 % ` +
          `${row.interval.map((end) => end.toFixed(2)).join(" – ")})  ρ ${row.spearman.toFixed(3)}`,
      );
    for (const row of agreement.thresholds)
      console.log(
        `  at ${row.threshold.toFixed(2)}: ` +
          `precision ${row.precision.toFixed(2)}, recall ${row.recall.toFixed(2)} against people's ≥ 0.8`,
      );
    printCrossValidation(rows);
    printCatchRates(rows);
  }
  const speed = await measureSpeed(rows ?? []);
  const perSentence = rows === undefined ? "" : `${speed.perSentence.toFixed(2)} ms a sentence with indexing, `;
  console.log(`\nSpeed: ${perSentence}${Math.round(speed.hundredPages)} ms for a PDF of 100 pages`);
  const recall = await measureRecall();
  console.log(`\nRetrieval: ${recall.queries} queries, ${recall.passages} sections of installed packages\n`);
  for (const { method, at1, at5 } of recall.rows)
    console.log(`  ${method.padEnd(40)} R@5 ${at5.toFixed(3)}  R@1 ${at1.toFixed(3)}`);
}

function printCrossValidation(rows: readonly RatedAnswer[]): void {
  const { tasks, all, withSources, spread, blended, chosen } = crossValidate(rows);
  const choices = new Set(chosen.map((shares) => JSON.stringify(shares)));
  console.log(
    `\nHeld out by task (${tasks} tasks, 5 folds): r ${all.toFixed(3)}, with sources ${withSources.toFixed(3)}, ` +
      `folds ${spread.map((end) => end.toFixed(3)).join(" – ")}; with the calibrated judge ${blended.toFixed(3)}`,
  );
  console.log(`  chosen: ${[...choices].join(" ")}`);
}

function printCatchRates(rows: readonly RatedAnswer[]): void {
  const { rates, falseAlarms, verbatim, reordered } = measureCatchRates(rows);
  console.log("\nTrue claims that fail at 0.70 once they are made wrong: tasks looked at, tasks held out\n");
  for (const { perturbation, looked, held } of rates)
    console.log(`  ${perturbation.padEnd(20)} ${[looked, held].map(shown).join("   held out ")}`);
  console.log(`\n  true claims of answers below 0.70: ${falseAlarms.toFixed(3)}`);
  console.log(`  sentences of the sources at 0.85: ${verbatim.toFixed(3)}, reordered ${reordered.toFixed(3)}`);
}

function shown({ claims, caught, sentences, sentencesCaught }: Count): string {
  const all = claims + sentences;
  const rate = (part: number, whole: number): string => (whole === 0 ? "–" : (part / whole).toFixed(2));
  return (
    `${rate(caught + sentencesCaught, all)} of ${String(all).padStart(4)} ` +
    `(answers ${rate(caught, claims)} of ${claims}, sources ${rate(sentencesCaught, sentences)} of ${sentences})`
  );
}

await main();
