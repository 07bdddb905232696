import type { LogContent } from "../../updates/receipts/log-file.ts";
import { plainCount } from "../../explain/wording.ts";
import type { CliIo } from "../terminal/io.ts";
import { printWarning } from "../terminal/print.ts";

/** Warns of the lines of a log file that can't be read. */
export function warnOfDamage({ problems, torn }: LogContent<unknown>, io: CliIo): void {
  for (const problem of problems) printWarning(io, `${problem}. See: veritest log verify`);
  if (torn > 0)
    printWarning(
      io,
      `${plainCount(torn, "line was", "lines were")} incomplete, because a process ended while it wrote.`,
    );
}
