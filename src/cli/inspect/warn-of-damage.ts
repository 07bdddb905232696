import type { LogContent } from "../../updates/receipts/log-file.ts";
import { amount } from "../../explain/wording.ts";
import type { CliIo } from "../terminal/io.ts";
import { warn } from "../terminal/say.ts";

/** Warns of the lines of a log file that can't be read. */
export function warnOfDamage({ problems, torn }: LogContent<unknown>, io: CliIo): void {
  for (const problem of problems) warn(io, `${problem}. See: veritest verify-log`);
  if (torn > 0) warn(io, `${amount(torn, "line was", "lines were")} cut off when a process ended.`);
}
