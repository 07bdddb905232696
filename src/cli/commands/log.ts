import { readReceipts, shortId } from "../../updates/receipts/receipts.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import { type CommandInput, limitOf } from "../terminal/command-input.ts";
import { JSON_OPTION, LIMIT_OPTION } from "../common-options.ts";
import { logVerifyCommand } from "./log-verify.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { warnOfDamage } from "../inspect/warn-of-damage.ts";
import { printRefusal, oneLine, printLines, printJson } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";

/** `veritest log`: lists the receipts of the repository, the newest first. */
export const logCommand: CliCommand = {
  options: [LIMIT_OPTION, JSON_OPTION],
  commands: [logVerifyCommand],
  examples: ["veritest log -n 5       # the last five receipts", "veritest log --json     # for a script"],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const limit = limitOf(input);
  if (!limit.ok) return printRefusal(io, limit.error);
  const content = readReceipts(cliPaths(io).notes, limit.value === undefined ? {} : { limit: limit.value });
  warnOfDamage(content, io);
  const newest = content.values.toReversed();
  if (input.flag("json")) printJson(io, newest);
  else
    printLines(
      io,
      newest.length === 0
        ? ["No receipts yet. veritest writes a receipt when you accept or reject a change."]
        : newest.map(lineOf),
    );
  return EXIT.clean;
}

function lineOf(receipt: Receipt): string {
  const { at, kind, actor, changes, gates, reason } = receipt;
  const failed = gates.filter((gate) => !gate.ok).map(({ name }) => name);
  const parts = [shortId(receipt), at, kind.padEnd(7), actor.kind.padEnd(5), plainCount(changes.length, "change")];
  const kept = changes.filter((change) => change.kept === "responses").length;
  if (kept > 0) parts.push(`${kept} with kept responses`);
  if (failed.length > 0) parts.push(`failed: ${failed.join(", ")}`);
  if (reason !== undefined) parts.push(reason);
  return oneLine(parts.join("  "));
}
