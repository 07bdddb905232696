import { findReceipt } from "../../notes/read-receipts.ts";
import type { Receipt, ReceiptChange, ReceiptGate } from "../../notes/receipt.ts";
import { receiptsDirectory } from "../../notes/receipts-directory.ts";
import { cliPlaces } from "../cli-places.ts";
import type { CommandInput } from "../command-input.ts";
import type { Command } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { fail, oneLine, say, sayJson } from "../say.ts";

/** `veritest show <receipt>`: one receipt in full. */
export const show: Command = {
  arguments: [{ name: "<receipt>", description: "its id, or how its id begins" }],
  options: [{ flags: "--json", description: "print JSON" }],
  examples: ["veritest show 3f9a0c   # the receipt whose id begins so"],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const found = findReceipt(receiptsDirectory(cliPlaces(io)), input.operands[0] ?? "");
  if (!found.ok) return fail(io, found.error);
  if (input.flag("json")) sayJson(io, found.value);
  else say(io, linesOf(found.value).map(oneLine));
  return EXIT.clean;
}

function linesOf(receipt: Receipt): string[] {
  const { versions, runner, actor, gitHead, dirty } = receipt;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["receipt", receipt.id],
    ["number", String(receipt.seq)],
    ["parent", receipt.parent ?? "none"],
    ["kind", receipt.kind],
    ["at", receipt.at],
    ["run", receipt.run],
    ["transaction", receipt.txId],
    ["actor", `${actor.kind} (${actor.because})`],
    ["reason", receipt.reason],
    ["scope", receipt.scope],
    ["git head", gitHead === undefined ? undefined : `${gitHead}${dirty === true ? " with changes" : ""}`],
    ["runner", runner === undefined ? undefined : `${runner.name} ${runner.version}`],
    ["versions", `veritest ${versions.veritest}, node ${versions.node}, ${versions.platform}`],
  ];
  return [
    ...fields.flatMap(([name, value]) => (value === undefined ? [] : `${name.padEnd(12)}${value}`)),
    ...section("gates", receipt.gates.map(gateLine)),
    ...section("changes", receipt.changes.map(changeLine)),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return [title.padEnd(12) + (lines.length === 0 ? "none" : String(lines.length)), ...lines.map((line) => `  ${line}`)];
}

function gateLine({ name, ok, detail, ms }: ReceiptGate): string {
  return `${ok ? "passed" : "failed"}  ${name}  ${Math.round(ms)} ms${detail === undefined ? "" : `  ${detail}`}`;
}

function changeLine({ target, before, after }: ReceiptChange): string {
  return `${wordOf(before, after)}  ${target}  ${shortHash(before)} → ${shortHash(after)}`;
}

function wordOf(before: string | null, after: string | null): string {
  if (before === null) return "added  ";
  return after === null ? "removed" : "changed";
}

function shortHash(hash: string | null): string {
  return hash === null ? "none" : hash.replace("sha256:", "").slice(0, 12);
}
