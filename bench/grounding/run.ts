import { resolve } from "node:path";
import { measureAgreement } from "./agreement.ts";
import { isHeldOut } from "./held-out.ts";
import { type OneFactAnswer, measureOneFact, readOneFactAnswers, readOtherAuthors } from "./one-fact.ts";
import { type RatedAnswer, readRatedAnswers, taskOf } from "./rated-answers.ts";
import { measureRecall } from "./recall.ts";
import { measureSpeed } from "./speed.ts";
import { sumOf } from "../../src/extras/grounding/verify/weights.ts";

/**
 * Prints figures of grounding: verdicts of the default matcher on hand-written answers, and agreement with people on
 * rated answers (the first argument, else `GROUNDING_DATA`, else next to the repository).
 */
async function main(): Promise<void> {
  console.log("\nAnswers of the author of the rules");
  await printOneFact(readOneFactAnswers());
  console.log("\nAnswers of two other authors");
  await printOneFact(readOtherAuthors("others"));
  console.log("\nAnswers written before reading the rules");
  await printOneFact(readOtherAuthors("unread"));
  console.log("\nAnswers of an author who knew only the promise");
  await printOneFact(readOtherAuthors("promise"));
  console.log("\nAnswers of a second author who knew only the promise");
  await printOneFact(readOtherAuthors("unseen"));
  const path = resolve(process.argv[2] ?? process.env["GROUNDING_DATA"] ?? "../shared/data/grounding-dev.jsonl");
  const rows = readRatedAnswers(path);
  if (rows === undefined)
    console.log(
      `No rated answers at ${path}: agreement is skipped.\n` +
        "Give a JSON-lines file as argument or in GROUNDING_DATA.\n",
    );
  else await printAgreement(rows);
  const speed = await measureSpeed(rows ?? []);
  const perSentence = rows === undefined ? "" : `${speed.perSentence.toFixed(2)} ms a sentence with indexing, `;
  console.log(`\nSpeed: ${perSentence}${Math.round(speed.hundredPages)} ms for a PDF of 100 pages`);
  const recall = await measureRecall();
  console.log(`\nRetrieval: ${recall.queries} queries, ${recall.passages} sections of installed packages\n`);
  for (const { method, at1, at5 } of recall.rows)
    console.log(`  ${method.padEnd(40)} R@5 ${at5.toFixed(3)}  R@1 ${at1.toFixed(3)}`);
}

async function printOneFact(answers: readonly OneFactAnswer[]): Promise<void> {
  for (const isRight of [false, true]) {
    console.log(isRight ? "\nRight answers that pass" : "\nAnswers with one wrong fact that fail");
    console.log(`  ${"kind".padEnd(20)} looked at        held out`);
    const halves = [false, true].map((held) =>
      measureOneFact(answers.filter((each) => each.isRight === isRight && each.isHeldOut === held)),
    );
    const [looked = [], held = []] = await Promise.all(halves);
    const kinds = [...new Set([...looked, ...held].map(({ kind }) => kind)), "all"];
    for (const kind of kinds)
      console.log(`  ${kind.padEnd(20)} ${[looked, held].map((rates) => rateOf(rates, kind).padEnd(16)).join(" ")}`);
  }
}

function rateOf(
  rates: readonly { readonly kind: string; readonly count: number; readonly correct: number }[],
  kind: string,
): string {
  const chosen = kind === "all" ? rates : rates.filter((rate) => rate.kind === kind);
  const [correct, count] = [sumOf(chosen.map((rate) => rate.correct)), sumOf(chosen.map((rate) => rate.count))];
  return count === 0 ? "–" : `${(correct / count).toFixed(2)} of ${count}`;
}

async function printAgreement(rows: readonly RatedAnswer[]): Promise<void> {
  for (const held of [false, true]) {
    const chosen = rows.filter((row) => row.source.length > 0 && isHeldOut(taskOf(row)) === held);
    const { withClaims, rows: methods, faithful, unfaithful } = await measureAgreement(chosen);
    console.log(
      `\nAgreement with people, tasks ${held ? "held out" : "looked at"}: ${withClaims} answers with sources\n`,
    );
    for (const row of methods)
      console.log(
        `  ${row.method.padEnd(20)}  r ${row.pearson.toFixed(3)} (95 % ` +
          `${row.interval.map((end) => end.toFixed(2)).join(" – ")})  ρ ${row.spearman.toFixed(3)}`,
      );
    console.log(`  the matcher passes ${faithful.passed} of ${faithful.count} faithful answers, `);
    console.log(`  and ${unfaithful.passed} of ${unfaithful.count} unfaithful ones`);
  }
}

await main();
