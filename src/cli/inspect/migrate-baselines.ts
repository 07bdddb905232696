import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { BASELINE_VERSION, type BaselineUpdate, groupOf } from "../../baseline/baseline.ts";
import { verifySerialized, writtenBaseline } from "../../baseline/serialize-baseline.ts";
import { plainCount } from "../../explain/wording.ts";
import { headCommit } from "../../kernel/files/git.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { oneLine, printLines, printJson, printWarning } from "../terminal/print.ts";
import { commitMaintenance, maintenanceGates } from "./commit-maintenance.ts";
import { type StoredBaseline, damageMessage } from "./stored-baseline.ts";

/** Result of rewriting baselines in the newest format. */
interface Migration {
  readonly due: readonly { readonly target: string; readonly update: BaselineUpdate }[];
  /** Why others stay as they are: a sentence each. */
  readonly problems: readonly string[];
}

/** Rewrites baselines of an older format in the newest, as one transaction; with `--dry-run` only lists them. */
export async function migrateBaselines(
  stored: Iterable<StoredBaseline>,
  input: CommandInput,
  io: CliIo,
): Promise<ExitCode> {
  const migration = planMigration(stored);
  if (input.flag("dryRun") || migration.due.length === 0) return report(migration, { input, io, receipt: undefined });
  return withUpdateContext(io, input.text("reason"), (context) => {
    const refusals = maintenanceGates(context).flatMap(({ problem }) => problem ?? []);
    if (refusals.length > 0) return report({ due: [], problems: refusals }, { input, io, receipt: undefined });
    const { due, problems } = migration;
    const { receipt, isWritten, problem } = commitMaintenance(
      due.map(({ update }) => update),
      context,
      {
        name: "migrate",
        gitHead: headCommit(context.paths.root),
        body: `${plainCount(due.length, "baseline")} rewritten in format ${BASELINE_VERSION}.`,
      },
    );
    const all = problem === undefined ? problems : [...problems, problem];
    return report({ due: isWritten ? due : [], problems: all }, { input, io, receipt: receipt && shortId(receipt) });
  });
}

function planMigration(stored: Iterable<StoredBaseline>): Migration {
  const due: Migration["due"][number][] = [];
  const problems: string[] = [];
  for (const { target, text, path, root, baseline } of stored) {
    if (!isOlder(text)) continue;
    const problem = damageMessage(text, path, target);
    const after = baseline.ok && problem === undefined ? writtenBaseline(baseline.value) : undefined;
    const other = after === undefined ? problem : verifySerialized(after);
    if (!baseline.ok || after === undefined || other !== undefined)
      problems.push(other ?? `${target} can't be read. Restore it with npx veritest repair --restore`);
    else
      due.push({
        target,
        update: { kind: "update", root, path, group: groupOf(baseline.value), before: text, after },
      });
  }
  return { due, problems };
}

function isOlder(text: string): boolean {
  const fields = parsedJson(text.replace(/^\ufeff/, ""));
  return isPlainObject(fields) && typeof fields["version"] === "number" && fields["version"] < BASELINE_VERSION;
}

interface MigrationOutcome {
  readonly input: CommandInput;
  readonly io: CliIo;
  /** Short id of the receipt; undefined if no baseline was written. */
  readonly receipt: string | undefined;
}

function report({ due, problems }: Migration, { input, io, receipt }: MigrationOutcome): ExitCode {
  const targets = due.map(({ target }) => target);
  const isDry = input.flag("dryRun");
  if (input.flag("json"))
    printJson(io, { format: BASELINE_VERSION, migrated: isDry ? [] : targets, due: targets, problems });
  else {
    const verb = isDry ? "due" : "migrated";
    const receiptWords = receipt === undefined ? "" : `, receipt ${receipt}`;
    const outcome = `${isDry ? "to rewrite" : "rewritten"} in format ${BASELINE_VERSION}${receiptWords}`;
    printLines(io, [
      ...targets.map((target) => oneLine(`${verb.padEnd(8)}  ${target}`)),
      `${plainCount(targets.length, "baseline")} ${outcome}.`,
    ]);
    for (const problem of problems) printWarning(io, problem);
  }
  return problems.length === 0 ? EXIT.clean : EXIT.regressions;
}
