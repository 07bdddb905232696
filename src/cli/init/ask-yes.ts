import { createInterface } from "node:readline";
import type { CliIo } from "../io.ts";

/** Asks in a terminal, and waits for a line. Anything but yes is no: an empty line, the end of the input. */
export async function askYes(question: string, { stdin, stdout }: Pick<CliIo, "stdin" | "stdout">): Promise<boolean> {
  stdout.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(undefined));
  });
  lines.close();
  // Who types a line ends it; what ends the input does not.
  if (answer === undefined) stdout.write("\n");
  return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
}
