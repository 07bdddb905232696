import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { type ReceiptDraft, versions } from "../../../updates/receipts/receipt.ts";
import type { Approve, Policy, ProposedChange, VerifyCommand } from "../../../updates/policy.ts";
import { openAttempts, readAttempt } from "../attempts.ts";
import type { ChangedFile } from "../changes.ts";
import { type DiffLimits, TEST_RULES, type TestRule } from "../check-diff.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { oneLine, printed } from "../../../kernel/printed.ts";
import { parseDuration } from "../../../kernel/duration.ts";
import { costText } from "../../../kernel/text.ts";
import { homeDirectory } from "../../../kernel/files/project-paths.ts";
import { splitCommand } from "../../../kernel/files/command-line.ts";
import { type RecoverOptions, recoverRuns } from "../recover-runs.ts";
import { type ReportedCost, costReader } from "../reported-cost.ts";
import { shortName } from "../repository.ts";
import type { KeptChanges, VerifiedChange, VerifiedCommitOptions, RunOutcome } from "../run-options.ts";
import { runVerifiedCommit } from "../verified-commit.ts";
import { resolveActor, openRecords } from "../../../updates/update-context.ts";
import { closeRecords, processContext } from "../../../cli/review/with-update-context.ts";
import { cliPaths } from "../../../cli/terminal/cli-paths.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import type { CliCommand } from "../../../cli/command.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { handleSignals } from "../../../cli/terminal/on-signals.ts";
import { printJson, printRefusal, printLines, printWarning } from "../../../cli/terminal/print.ts";
import { plainCount } from "../../../explain/wording.ts";

const BUDGET = "30m";
const GRACE_MS = 5000;

/**
 * `veritest run … -- <command…>`: runs a command in a temporary work tree, and commits exactly the verified changes, or
 * none.
 */
export const runCommand: CliCommand = {
  arguments: [{ name: "[command...]", description: "program to run and its arguments, after --; run without a shell" }],
  options: [
    { flags: "--work-item <text>", description: "purpose of the run; required" },
    { flags: "--mood <mood>", description: "mood of the run, stored in its notes" },
    {
      flags: "--budget <time>",
      description: `maximum time of the command and all checks, such as 90s or 2h (${BUDGET})`,
    },
    { flags: "--verify <line>", description: "a check that must exit with 0; repeatable", repeatable: true },
    { flags: "--max-files <count>", description: "maximum number of changed files" },
    { flags: "--max-lines <count>", description: "maximum number of added and removed lines" },
    { flags: "--protect <glob>", description: "files that must not change; repeatable", repeatable: true },
    {
      flags: "--allow <rule>",
      description: `rule to disable for tests in the diff; repeatable: ${TEST_RULES.join(", ")}`,
      repeatable: true,
    },
    {
      flags: "--approve-test <name>",
      description: "name of a test whose old version may fail on the new code; repeatable",
      repeatable: true,
    },
    { flags: "--allow-unmeasured", description: "commit even if veritest can't count the tests that the checks run" },
    { flags: "--target <branch>", description: "branch that gets the commit (default: the current one)" },
    {
      flags: "--link <path>",
      description:
        "git-ignored path to link into the temporary worktree, relative to the repository's root; repeatable " +
        "(default: node_modules)",
      repeatable: true,
    },
    {
      flags: "--resume <id>",
      description: "id of a discarded run to continue from; without a command, its changes are only checked",
    },
    { flags: "--json", description: "print the result as one line of JSON" },
    { flags: "--without-links", description: "don't link ignored paths, not even node_modules" },
  ],
  examples: [
    'veritest run --work-item "codegen" --verify "npm test" -- node scripts/codegen.js',
    'veritest run --work-item w-7 --budget 2h --max-files 20 --verify "npm test" --target w-7 -- ' +
      'my-agent "fix the parser"',
  ],
  run: runApart,
};

async function runApart(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const paths = cliPaths(io);
  const config = await loadConfig(paths.root);
  if (!config.ok) return printRefusal(io, config.error);
  const attempts = join(homeDirectory(paths, io.environment), "attempts");
  const id = input.text("resume");
  const resume = id === undefined ? ok(undefined) : readAttempt(attempts, id);
  if (!resume.ok) return printRefusal(io, resume.error);
  const request = requestOf(input, io, { policy: config.value.policy, resume: resume.value });
  if (!request.ok) return printRefusal(io, request.error);
  const records = openRecords(paths, config.value.policy, io);
  const { redactText } = records;
  const runId = `${Date.now().toString(36)}-${randomBytes(5).toString("hex")}`;
  const log = openLog(join(attempts, `${runId}.log`), records, io);
  let gates: ReceiptDraft["gates"] = [];
  const recoverOptions: RecoverOptions = {
    environment: io.environment,
    clock: Date.now,
    note: (note) => void records.notes.write(note),
    receipts: {
      append: (draft) => {
        gates = draft.gates;
        return records.receipt(draft).id;
      },
      hides: records,
    },
  };
  const cost = costReader();
  const aborter = new AbortController();
  const release = handleSignals(() => aborter.abort());
  try {
    for (const dead of await recoverRuns(paths, recoverOptions))
      if (dead.kind === "stuck") printWarning(io, dead.problem);
    const outcome = await runVerifiedCommit({
      ...request.value,
      ...recoverOptions,
      workItem: redactText(request.value.workItem),
      paths,
      runId,
      attempts,
      versions: versions(),
      signal: aborter.signal,
      temporary: tmpdir(),
      graceMs: GRACE_MS,
      ...printing(io, log, { redact: redactText, cost }),
    });
    if (outcome.kind !== "refused") log("\n");
    const redacted = withoutSecrets(outcome, redactText);
    const reported = cost.cost();
    if (!input.flag("json")) return report(io, redacted, { runId, cost: reported });
    const { kind, ...result } = redacted;
    const json = { run: runId, outcome: kind, ...result, gates: records.redact({ gates }).gates, cost: reported };
    // The last line, whatever a configuration prints before it.
    printJson(io, json, 0);
    return exitCodeOf(outcome);
  } finally {
    release();
    closeRecords(records, io);
  }
}

/**
 * Prints a run's output, and logs it. The output of programs is unchanged, as without veritest: their colours and
 * progress bars work. A run that has to fail prints failures that aren't any, so those are only logged.
 */
function printing(
  io: CliIo,
  log: (text: string) => void,
  { redact, cost }: { readonly redact: (text: string) => string; readonly cost: ReturnType<typeof costReader> },
): Pick<VerifiedCommitOptions, "onOutput" | "onProgress"> {
  return {
    onOutput: (text, from) => {
      log(text);
      if (from === "command") cost.add(text);
      if (from !== "watched") io.stderr.write(text);
    },
    onProgress: (line) => {
      log(printed([`veritest: ${line}`]));
      printWarning(io, redact(line));
    },
  };
}

/**
 * Returns a function that appends output to a file, by complete lines and without the secrets in them. A run goes on
 * without its log: the command may delete the directory, and the disk may be full.
 */
function openLog(file: string, { redactText }: ReturnType<typeof openRecords>, io: CliIo): (text: string) => void {
  let rest = "";
  let state: "closed" | "open" | "failed" = "closed";
  return (text) => {
    const end = (rest + text).lastIndexOf("\n") + 1;
    const lines = (rest + text).slice(0, end);
    rest = (rest + text).slice(end);
    if (lines === "" || state === "failed") return;
    try {
      if (state === "closed") openAttempts(dirname(file));
      state = "open";
      appendFileSync(file, redactText(lines), { mode: 0o600 });
    } catch (thrown) {
      state = "failed";
      printWarning(io, `The log of this run can't be written: ${messageOf(thrown)}. The run continues without it.`);
    }
  };
}

type Request = Pick<
  VerifiedCommitOptions,
  | "workItem"
  | "mood"
  | "command"
  | "budgetMs"
  | "checks"
  | "limits"
  | "target"
  | "links"
  | "approve"
  | "actor"
  | "agents"
  | "resume"
>;

function requestOf(
  input: CommandInput,
  io: CliIo,
  { policy, resume }: { readonly policy: Policy; readonly resume: KeptChanges | undefined },
): Result<Request, string> {
  if (input.operands.length === 0 && resume === undefined)
    return err("A run needs a command, after --. See: veritest run --help");
  const workItem = input.text("workItem")?.trim() ?? resume?.workItem ?? "";
  if (workItem === "")
    return err('A run needs a work item. Pass its name: --work-item "<task>". See: veritest run --help');
  const budgetMs = parseDuration(input.text("budget") ?? BUDGET);
  if (budgetMs === undefined) return err("--budget must be a time such as 90s, 30m or 2h.");
  const checks = checksOf(input.list("verify"), policy);
  if (!checks.ok) return checks;
  const limits = limitsOf(input);
  if (!limits.ok) return limits;
  const links = linksOf(input);
  if (!links.ok) return links;
  const actor = resolveActor(policy, processContext(io));
  if (!actor.ok) return actor;
  const mood = input.text("mood");
  const { approve, agents } = policy;
  return ok({
    workItem,
    budgetMs,
    agents,
    resume,
    command: input.operands,
    checks: checks.value,
    limits: limits.value,
    actor: actor.value,
    target: input.text("target"),
    links: links.value,
    ...(mood === undefined ? {} : { mood }),
    ...(approve === undefined
      ? {}
      : { approve: asApproval(approve, { actor: actor.value.kind, reason: workItem, root: io.cwd }) }),
  });
}

/** Those of the policy come first; a command line is its own name. */
function checksOf(lines: readonly string[], policy: Policy): Result<readonly VerifyCommand[], string> {
  const checks: VerifyCommand[] = [...policy.verify];
  for (const line of lines) {
    const words = splitCommand(line);
    if (!words.ok) return words;
    checks.push({ name: line, run: words.value, timeoutMs: 0 });
  }
  return ok(checks);
}

function limitsOf(input: CommandInput): Result<DiffLimits, string> {
  const counts = [];
  for (const option of ["maxFiles", "maxLines"]) {
    const text = input.text(option);
    if (text !== undefined && !/^\d{1,9}$/.test(text))
      return err(`--${option === "maxFiles" ? "max-files" : "max-lines"} must be an integer.`);
    counts.push(text === undefined ? Infinity : Number(text));
  }
  const [maxFiles = Infinity, maxLines = Infinity] = counts;
  const allow: TestRule[] = [];
  for (const name of input.list("allow")) {
    const rule = TEST_RULES.find((known) => known === name);
    if (rule === undefined) return err(`--allow must be one of ${TEST_RULES.join(", ")}.`);
    allow.push(rule);
  }
  if (input.flag("allowUnmeasured")) allow.push("tests-not-measured");
  return ok({ maxFiles, maxLines, allow, protect: input.list("protect"), approvedTests: input.list("approveTest") });
}

function linksOf(input: CommandInput): Result<readonly string[] | undefined, string> {
  const links = input.list("link");
  if (!input.flag("withoutLinks")) return ok(links.length === 0 ? undefined : links);
  return links.length === 0 ? ok([]) : err("--link and --without-links exclude each other. Remove one of them.");
}

/**
 * A policy's `approve` knows changes of baselines; a run shows it its files in the same form, grouped by the work item.
 */
function asApproval(approve: Approve, context: Parameters<Approve>[1]): NonNullable<VerifiedCommitOptions["approve"]> {
  return async ({ files, textOf, workItem }: VerifiedChange) =>
    approve(
      await Promise.all(files.map(async (file) => requestedChangeOf(file, workItem, await textOf(file)))),
      context,
    );
}

function requestedChangeOf(file: ChangedFile, group: string, text: string | undefined): ProposedChange {
  const kinds = {
    added: ["add", "missing"],
    removed: ["remove", "obsolete"],
    changed: ["update", "value_changed"],
    renamed: ["update", "value_changed"],
  } as const;
  const [kind, verdict] = kinds[file.kind];
  return { kind, verdict, group, target: file.path, shown: [`+${file.added} -${file.removed} lines`], text };
}

/** Phrase for the verdict; a change without code has none. */
function testsOf({ tests, unmeasured }: Pick<Committed, "tests" | "unmeasured">): string {
  if (tests === undefined) return "";
  if (tests === 0) return "tests weren't measured, ";
  const more = unmeasured.length === 0 ? "" : `tests of ${unmeasured.join(", ")} weren't measured, `;
  return `${plainCount(tests, "test")}, ${more}`;
}

type Committed = Extract<RunOutcome, { kind: "committed" }>;

/** An outcome whose sentences quote command lines and lines of the diff. */
function withoutSecrets(outcome: RunOutcome, redact: (text: string) => string): RunOutcome {
  if (outcome.kind === "refused" || outcome.kind === "pending") return { ...outcome, problem: redact(outcome.problem) };
  if (outcome.kind === "committed") return { ...outcome, unmeasured: outcome.unmeasured.map(redact) };
  if (outcome.kind !== "discarded") return outcome;
  const { gate, summary, details } = outcome.failure;
  return { ...outcome, failure: { gate: redact(gate), summary: redact(summary), details: details.map(redact) } };
}

/** Phrase for the cost that the command reported. */
function reportedText({ usd, inputTokens, outputTokens }: ReportedCost): string {
  const parts = [
    ...(usd === undefined ? [] : [costText(usd)]),
    ...(inputTokens === undefined ? [] : [plainCount(inputTokens, "input token")]),
    ...(outputTokens === undefined ? [] : [plainCount(outputTokens, "output token")]),
  ];
  return `cost reported by the command: ${parts.join(", ")}`;
}

function report(
  io: CliIo,
  outcome: RunOutcome,
  { runId, cost }: { readonly runId: string; readonly cost: ReportedCost | undefined },
): ExitCode {
  if (cost !== undefined) printWarning(io, reportedText(cost));
  switch (outcome.kind) {
    case "committed":
      printLines(io, [
        `committed ${outcome.commit.slice(0, 12)} on ${shortName(outcome.target)}: ` +
          `${plainCount(outcome.files, "file")}, ${testsOf(outcome)}receipt ${outcome.receipt}`,
        ...outcome.leftAlone.map((path) => `${oneLine(path)} was edited during the run, so it wasn't changed`),
      ]);
      break;
    case "unchanged":
      printWarning(io, "The command didn't change any files, so there is nothing to commit.");
      break;
    case "discarded":
      printWarning(
        io,
        `The run was discarded. ${outcome.isTouched === true ? TOUCHED : "Your branch and files are unchanged."} ` +
          `${outcome.failure.gate}: ${outcome.failure.summary}`,
      );
      if (outcome.failure.details.length > 0)
        io.stderr.write(
          printed(outcome.failure.details.flatMap((text) => text.split("\n").map((line) => `  ${line}`))),
        );
      if (outcome.isKept === true)
        printWarning(io, `To continue with its changes, run: npx veritest run --resume ${runId}`);
      break;
    case "refused":
      printWarning(io, outcome.problem);
      break;
    case "pending":
      printWarning(io, `${outcome.problem.replace(/\.?$/, ".")} Fix this, then run: npx veritest doctor`);
      break;
  }
  return exitCodeOf(outcome);
}

const TOUCHED = "Your repository changed during the run, as listed above.";

function exitCodeOf({ kind }: RunOutcome): ExitCode {
  if (kind === "committed") return EXIT.clean;
  return kind === "unchanged" || kind === "discarded" ? EXIT.regressions : EXIT.usage;
}
