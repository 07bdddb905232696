import { createInterface } from "node:readline";
import type { CliIo } from "./io.ts";
import { oneLine, printDocument } from "./print.ts";

/** Returns whether a person can answer a question. */
export function isInteractive({ stdin, stdout }: Pick<CliIo, "stdin" | "stdout">): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** Prompts in a terminal and reads a line. Only "yes" confirms: an empty line and the end of the input don't. */
export async function promptYes(
  question: string,
  { stdin, stdout }: Pick<CliIo, "stdin" | "stdout">,
): Promise<boolean> {
  printDocument({ stdout }, `${oneLine(question)} [y/N] `);
  const lines = createInterface({ input: stdin });
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(undefined));
  });
  lines.close();
  // A typed line already ends with a line break; the end of the input doesn't.
  if (answer === undefined) printDocument({ stdout }, "\n");
  return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
}
