import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText } from "../../kernel/text.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import { codeOf } from "../../kernel/error-message.ts";
import { type BundleCommitResult, commitBundles } from "../../updates/shards/commit-bundles.ts";
import { type BundleFile, readBundles } from "../../updates/shards/bundle.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { REASON_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { receiptText } from "../review/accept-and-print.ts";
import { printRefusal, oneLine, printLines, printWarning } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";

/** Maximum bytes of all bundles together: they come from other machines. */
const MAX_BYTES = 256 * 1024 * 1024;

/** `veritest commit`: applies the updates of all shards of a run as one transaction, or none of them. */
export const commitCommand: CliCommand = {
  arguments: [{ name: "<bundles...>", description: "bundle-<i>of<n>.ndjson of every shard, or a directory of them" }],
  options: [REASON_OPTION],
  examples: ["VERITEST_ACTOR=human veritest commit bundles   # in a CI job that a person started"],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const files = bundleFiles(input.operands, io.cwd);
  if (!files.ok) return printRefusal(io, files.error);
  const group = readBundles(files.value);
  if (!group.ok) {
    for (const problem of group.error) printWarning(io, problem);
    return printRefusal(io, "No file was written.", EXIT.regressions);
  }
  return withUpdateContext(io, input.text("reason"), async (context) =>
    // Without a review of each change, protected baselines stay protected.
    printOutcome(await commitBundles(group.value, { ...context, by: "run" }), group.value.count, io),
  );
}

function printOutcome(result: BundleCommitResult, shards: number, io: CliIo): ExitCode {
  switch (result.kind) {
    case "committed": {
      const { written, receipt, problem } = result;
      printLines(io, [...new Set(written.map(({ target }) => oneLine(`written  ${target}`)))]);
      const what = `${plainCount(written.length, "change")} of ${plainCount(shards, "shard")}`;
      printLines(io, [`${what}${receiptText(receipt, problem)}`]);
      if (problem !== undefined) printWarning(io, problem);
      return EXIT.clean;
    }
    case "blocked":
    case "incomplete":
      return printRefusal(io, result.problem);
    case "discarded":
      for (const problem of result.problems) printWarning(io, problem);
      return printRefusal(io, nothingWritten(result.receipt), EXIT.regressions);
  }
}

function nothingWritten(receipt: Receipt | undefined): string {
  const suffix = receipt === undefined ? "" : `, receipt ${shortId(receipt)}`;
  return `No file was written${suffix}. The bundles are unchanged.`;
}

function bundleFiles(names: readonly string[], cwd: string): Result<readonly BundleFile[], string> {
  try {
    const paths = names
      .map((name) => resolve(cwd, name))
      .flatMap((path) => (statSync(path).isDirectory() ? bundlesIn(path) : [path]));
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
    if (bytes > MAX_BYTES) return err(`The bundles have ${bytes} bytes, which is more than the limit of ${MAX_BYTES}.`);
    return ok(paths.map((path) => ({ name: path, text: readFileSync(path, "utf8") })));
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || !(thrown instanceof Error)) throw thrown;
    return err(`A bundle doesn't exist: ${escapeText(thrown.message)}`);
  }
}

function bundlesIn(directory: string): string[] {
  const names = readdirSync(directory).filter((name) => /^bundle-\d+of\d+\.ndjson$/.test(name));
  return names.toSorted().map((name) => join(directory, name));
}
