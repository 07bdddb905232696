import type { FailedTest } from "../ci/test-report.ts";

const LINES_OF_A_FIND = 40;

/** Returns true if a test exceeded its own time limit: that shows a slow machine, not a fault of the values. */
export function isOutOfTime({ message }: FailedTest): boolean {
  return /^(?:\w*Error: )?Test timed out in /.test(message);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A failed test with the command that shows it again: with the seed and path it names, else with the run's seed. */
export function describeFind({ file, title, message }: FailedTest, seed: number): string {
  const [, usedSeed = String(seed), path] = /seed: (-?\d+), path: "([\d:]+)"/.exec(message) ?? [];
  const options = [
    `--seed=${usedSeed}`,
    ...(path === undefined ? [] : [`--path=${path}`]),
    ...(title === "" ? [] : [`--test=${quote(title)}`]),
  ];
  const lines = message.split("\n");
  const more = lines.length > LINES_OF_A_FIND ? [`… ${String(lines.length - LINES_OF_A_FIND)} more lines`] : [];
  return [
    `found: ${file}${title === "" ? "" : ` > ${title}`}`,
    `replay: npm run explore -- ${options.join(" ")} ${file}`,
    ...[...lines.slice(0, LINES_OF_A_FIND), ...more].map((line) => `    ${line}`),
    "",
  ].join("\n");
}
