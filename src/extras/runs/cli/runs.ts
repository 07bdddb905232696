import { readVariable } from "../../../kernel/environment.ts";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { liveForm } from "../../../record/encode/decode.ts";
import { storedForm } from "../../../record/encode/encode.ts";
import { currentRedactor } from "../../../redact/current-redactor.ts";
import { effectiveState } from "../../../kernel/step/effective-state.ts";
import type { Block, Decision } from "../../../kernel/step/block.ts";
import { type RunFilter, type RunStore, type RunSummary, RUN_STATUSES } from "../store/contract.ts";
import type { StoreError } from "../store/store-error.ts";
import { type CommandInput, limitOf } from "../../../cli/terminal/command-input.ts";
import type { ArgumentSpec, CliCommand, OptionSpec, Subcommand } from "../../../cli/command.ts";
import { JSON_OPTION, LIMIT_OPTION } from "../../../cli/common-options.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { printRefusal, oneLine, printLines, printJson } from "../../../cli/terminal/print.ts";
import { sinceOption } from "../../../cli/parse-since.ts";
import { plainCount } from "../../../explain/wording.ts";
import { type RunAction, decideRun, pruneRuns } from "./end-runs.ts";
import { STORE_OPTIONS, runWithStore, runFilterOption } from "./run-with-store.ts";
import { type ShownRun, blockLines, runLine, runLines } from "./run-lines.ts";

const WORKFLOW: OptionSpec = { flags: "--workflow <name>", description: "only runs of this workflow" };
const STATUS: OptionSpec = {
  flags: "--status <status>",
  description: "only runs with this status",
  choices: RUN_STATUSES,
};
const REASON: OptionSpec = { flags: "--reason <text>", description: "reason, stored with the run" };
const ACTOR: OptionSpec = {
  flags: "--actor <name>",
  description: "name of the person who decides (default: the current user)",
};
const RUN: ArgumentSpec = { name: "<run>", description: "ID of the run" };

/** `veritest runs …`: shows stored runs, resolves their blocks, retries, ends and deletes them. */
export const runsCommand: CliCommand = {
  examples: ["veritest runs list --status failed --since 2d", "veritest runs show run-17"],
  commands: [
    storeCommandOf({
      name: "list",
      summary: "list stored runs",
      options: [
        WORKFLOW,
        STATUS,
        { flags: "--since <when>", description: "only runs started since a date, or a time span such as 2d" },
        { ...LIMIT_OPTION, description: "maximum number (default: 100)" },
      ],
      examples: ["veritest runs list --status failed --since 2d"],
      work: list,
    }),
    storeCommandOf({
      name: "show",
      summary: "show a run: its computed and changed fields, history and remaining work",
      arguments: [RUN],
      options: [WORKFLOW],
      examples: ["veritest runs show run-17"],
      work: show,
    }),
    storeCommandOf({
      name: "blocked",
      summary: "list open blocks",
      options: [WORKFLOW],
      examples: ["veritest runs blocked --json"],
      work: blocked,
    }),
    storeCommandOf({
      name: "resolve",
      summary: "resolve a block",
      arguments: [{ name: "<block>", description: "ID of the block" }],
      options: [
        { flags: "--approve", description: "execute the commands after a review" },
        { flags: "--reject", description: "drop the commands of a review" },
        { flags: "--override <json>", description: "fields to override before approving" },
        { flags: "--resume <json>", description: "data that a suspended run continues with" },
        REASON,
        ACTOR,
      ],
      examples: [
        'veritest runs resolve sha256:1f… --approve --reason "checked"',
        `veritest runs resolve sha256:1f… --override '{"risk":"low"}' --reason "a typo"`,
      ],
      work: resolve,
    }),
    decisionOn(
      "retry",
      "run the failed commands of a run again",
      'veritest runs retry run-17 --reason "the service is back"',
    ),
    decisionOn("cancel", "end a run", 'veritest runs cancel run-17 --reason "started twice"'),
    decisionOn("delete", "delete an ended run", "veritest runs delete run-17"),
    storeCommandOf({
      name: "prune",
      summary: "delete ended runs that haven't changed for some time",
      options: [
        WORKFLOW,
        STATUS,
        {
          flags: "--older-than <when>",
          description: "only runs without a change since a date, or a time span such as 30d",
        },
      ],
      examples: ["veritest runs prune --older-than 90d --status completed"],
      work: prune,
    }),
  ],
};

interface StoreSubcommand extends Omit<Subcommand, "run"> {
  /** Its work in the open store; `id` is its operand. */
  readonly work: (request: Request, id: string) => Promise<ExitCode>;
}

function storeCommandOf({ work, options = [], ...command }: StoreSubcommand): Subcommand {
  return {
    ...command,
    options: [...STORE_OPTIONS, ...options, JSON_OPTION],
    run: async (input, io) =>
      runWithStore(input, io, { use: async (store) => work({ input, io, store }, input.operands[0] ?? "") }),
  };
}

function decisionOn(action: RunAction, summary: string, example: string): Subcommand {
  return storeCommandOf({
    name: action,
    summary,
    arguments: [RUN],
    options: [WORKFLOW, REASON, ACTOR],
    examples: [example],
    work: async (request, id) => decide(request, id, action),
  });
}

interface Request {
  readonly input: CommandInput;
  readonly io: CliIo;
  readonly store: RunStore;
}

async function list({ input, io, store }: Request): Promise<ExitCode> {
  const filter = filterOf(input);
  if (!filter.ok) return printRefusal(io, filter.error);
  const runs = await store.list(filter.value);
  if (!runs.ok) return printRefusal(io, runs.error.message);
  if (input.flag("json")) printJson(io, runs.value);
  else printLines(io, runs.value.length === 0 ? ["No runs."] : runs.value.map(runLine).map(oneLine));
  return EXIT.clean;
}

function filterOf(input: CommandInput): Result<RunFilter, string> {
  const request = runFilterOption(input);
  if (!request.ok) return request;
  const limit = limitOf(input);
  if (!limit.ok) return limit;
  const status = RUN_STATUSES.find((known) => known === input.text("status"));
  return ok({
    limit: limit.value ?? 100,
    ...request.value,
    ...(status === undefined ? {} : { status }),
  });
}

async function show({ input, io, store }: Request, runId: string): Promise<ExitCode> {
  const match = await findRun(store, runId, input.text("workflow"));
  if (!match.ok) return printRefusal(io, match.error);
  const run = await shownRun(store, match.value);
  if (!run.ok) return printRefusal(io, run.error.message);
  if (input.flag("json")) printJson(io, storedForm(run.value));
  else printLines(io, runLines(run.value).map(oneLine));
  return EXIT.clean;
}

async function findRun(
  store: RunStore,
  runId: string,
  workflowId: string | undefined,
): Promise<Result<RunSummary, string>> {
  const matches = await store.list({ runId, ...(workflowId === undefined ? {} : { workflowId }), limit: 20 });
  if (!matches.ok) return err(matches.error.message);
  const [run, ...rest] = matches.value;
  if (run === undefined) return err(`There is no run "${runId}". To list runs, run: npx veritest runs list`);
  if (rest.length === 0) return ok(run);
  const workflows = matches.value.map((summary) => summary.workflowId).join(", ");
  return err(`"${runId}" is a run of several workflows: ${workflows}. Add --workflow <name>.`);
}

async function shownRun(store: RunStore, { workflowId, runId }: RunSummary): Promise<Result<ShownRun, StoreError>> {
  const run = await store.load(workflowId, runId);
  if (!run.ok) return run;
  const entries = await store.entries(workflowId, runId);
  if (!entries.ok) return entries;
  const commands = await store.commands(workflowId, runId);
  if (!commands.ok) return commands;
  const blocks = await store.blocks.list({ workflowId, runId, resolved: true });
  if (!blocks.ok) return blocks;
  const { computed = {}, overlay = {}, ...summary } = run.value ?? { workflowId, runId };
  // JSON has no undefined: `removed` names the fields that an overlay removes, and the effective state lacks them.
  const removed = Object.keys(overlay).filter((name) => overlay[name] === undefined);
  return ok({
    run: { ...summary, computed, overlay, removed, effective: effectiveState({ computed, overlay }) },
    entries: entries.value,
    commands: commands.value,
    blocks: blocks.value,
  });
}

async function decide({ input, io, store }: Request, runId: string, action: RunAction): Promise<ExitCode> {
  const match = await findRun(store, runId, input.text("workflow"));
  if (!match.ok) return printRefusal(io, match.error);
  const reason = input.text("reason");
  if (reason === undefined && action !== "delete") return printRefusal(io, NO_REASON);
  const done = await decideRun(store, match.value, { action, ...authorOf(input, io) });
  if (!done.ok) return printRefusal(io, done.error);
  const { line, changed } = done.value;
  if (input.flag("json")) printJson(io, { workflowId: match.value.workflowId, runId, action, changed });
  else printLines(io, [oneLine(line)]);
  return changed ? EXIT.clean : EXIT.regressions;
}

async function prune({ input, io, store }: Request): Promise<ExitCode> {
  const before = sinceOption(input, "olderThan");
  if (!before.ok) return printRefusal(io, before.error);
  if (before.value === undefined)
    return printRefusal(io, "runs prune deletes ended runs. Add --older-than 90d, or a date.");
  const workflowId = input.text("workflow");
  const status = RUN_STATUSES.find((known) => known === input.text("status"));
  const pruned = await pruneRuns(store, {
    before: before.value,
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(status === undefined ? {} : { status }),
  });
  if (input.flag("json")) printJson(io, { pruned });
  else printLines(io, [`${plainCount(pruned, "run is", "runs are")} deleted.`]);
  return EXIT.clean;
}

const NO_REASON = "Add a reason: --reason <text>. It is stored with the run.";

function authorOf(input: CommandInput, io: CliIo): { readonly reason: string; readonly actor: string } {
  const reason = currentRedactor().redactText(input.text("reason") ?? "");
  return { reason, actor: input.text("actor") ?? userOf(io) ?? "unknown" };
}

async function blocked({ input, io, store }: Request): Promise<ExitCode> {
  const workflowId = input.text("workflow");
  const blocks = await store.blocks.list(workflowId === undefined ? {} : { workflowId });
  if (!blocks.ok) return printRefusal(io, blocks.error.message);
  if (input.flag("json")) printJson(io, storedForm(blocks.value));
  else
    printLines(io, blocks.value.length === 0 ? ["No run is blocked."] : blocks.value.flatMap(blockLines).map(oneLine));
  return EXIT.clean;
}

async function resolve({ input, io, store }: Request, blockId: string): Promise<ExitCode> {
  const decision = decisionOf(input);
  if (!decision.ok) return printRefusal(io, decision.error);
  if (input.text("reason") === undefined) return printRefusal(io, NO_REASON);
  const resolved = await store.blocks.resolve({ blockId, decision: decision.value, ...authorOf(input, io) });
  if (!resolved.ok) return printRefusal(io, resolved.error.message);
  if (input.flag("json")) printJson(io, storedForm(resolved.value));
  else printLines(io, [oneLine(wordsOf(resolved.value, decision.value))]);
  return resolved.value === null ? EXIT.regressions : EXIT.clean;
}

function wordsOf(block: Block | null, { kind }: Decision): string {
  if (block === null) return "The block was already resolved. The run is unchanged.";
  return `${block.kind} of ${block.workflowId}/${block.runId} resolved: ${kind}. A runner continues the run.`;
}

function decisionOf(input: CommandInput): Result<Decision, string> {
  const override = input.text("override");
  const resume = input.text("resume");
  const decisions = [input.flag("approve"), input.flag("reject"), override !== undefined, resume !== undefined];
  if (decisions.filter(Boolean).length !== 1)
    return err("Pass a decision: --approve, --reject, --override <json>, --resume <json>.");
  if (input.flag("approve")) return ok({ kind: "approve" });
  if (input.flag("reject")) return ok({ kind: "reject" });
  const data = parseJson(override ?? resume ?? "");
  if (!data.ok) return data;
  if (resume !== undefined) return ok({ kind: "resume", data: data.value });
  return isPlainObject(data.value)
    ? ok({ kind: "override", patch: data.value })
    : err("--override must be a JSON object with the fields to override.");
}

function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(liveForm(JSON.parse(text)));
  } catch {
    return err(`The value isn't JSON: ${text}`);
  }
}

function userOf({ environment }: CliIo): string | undefined {
  return readVariable(environment, "USER") ?? readVariable(environment, "USERNAME");
}
