import { type Result, err, ok } from "../../../kernel/result.ts";
import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { effectiveState } from "../../../kernel/step/effective-state.ts";
import { quote } from "../../../kernel/text.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { checkCommands } from "../../../kernel/step/check-commands.ts";
import type { AnyStep, RetryOptions } from "../../../kernel/step/define-step.ts";
import { type Workflow, stepNotFound } from "../../../kernel/step/define-workflow.ts";
import type { StepError } from "../../../kernel/step/fail.ts";
import { failureOfThrown, isAborted } from "../../../check/outages/failure-of-check.ts";
import type { RunOptions } from "../../../kernel/step/run.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import { MAX_TIMER_MS } from "../../../kernel/max-timer.ts";
import type { Block } from "../../../kernel/step/block.ts";
import type { CommandRow, Committed, RunEntry, RunStore } from "../store/contract.ts";
import { resumeStepId } from "../store/prepare.ts";
import type { StoreError } from "../store/store-error.ts";
import { VERITEST } from "../../../kernel/telemetry/attributes.ts";
import { measure } from "../../../kernel/telemetry/metrics.ts";
import { type Facts, SPAN_KIND, inSpan } from "../../../kernel/telemetry/spans.ts";

/** Failure of a step or an effect. Its code comes from the step, the store or the runner. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** True if the command wasn't attempted. It costs no attempt, and is retried until it can run. */
  readonly postponed?: boolean;
}

/** Performs an effect. A key may arrive twice, so the effect must be idempotent per key. */
export type Sink = (
  payload: unknown,
  effect: {
    readonly idempotencyKey: string;
    readonly topic: string;
    readonly workflowId: string;
    readonly runId: string;
  },
) => Promise<void> | void;

/** Context in which commands are carried out. */
export interface ExecutionContext {
  readonly store: RunStore;
  readonly workflows: readonly Pick<Workflow, "name" | "version" | "steps">[];
  readonly adapters: object;
  readonly sinks: Readonly<Record<string, Sink>>;
  /** Runs a step. It's `runRecorded` if adapter calls are stored with the run, so that it can be replayed. */
  readonly run: (step: AnyStep, input: unknown, options: RunOptions) => Promise<Result<StepResult, StepError>>;
  /** Versions of workflows that continue runs of older ones, by workflow and older version. */
  readonly migrations?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** True if the first commit creates the run. If false, a missing run was deleted while its step ran. */
  readonly createsRun?: boolean;
  /** Attempts at steps without their own `retry`; here only its `timeoutMs`. */
  readonly retry?: RetryOptions;
  /** Unix milliseconds, the same as the store's. Measures how long a due command waited. Absent: not measured. */
  readonly clock?: () => number;
}

/** Outcome of a command that was carried out. */
export type Executed =
  | { readonly kind: "committed"; readonly committed: Committed; readonly result: StepResult }
  | { readonly kind: "emitted" }
  /** The block is null if it was already resolved. */
  | { readonly kind: "timed_out"; readonly block: Block | null };

/**
 * Carries out one command: runs its step and commits, or performs its effect. The span `veritest.dispatch <target>`
 * is a child of the span that wrote the command, on any machine.
 */
export async function executeCommand(
  row: CommandRow,
  context: ExecutionContext,
): Promise<Result<Executed, RunFailure>> {
  const { kind, target, traceparent: below } = row;
  if (context.clock !== undefined)
    measure("dispatchLag", Math.max(0, context.clock() - row.availableAt) / 1000, {
      [VERITEST.workflowName]: row.workflowId,
      [VERITEST.commandKind]: kind,
    });
  const spec = { name: `veritest.dispatch ${target}`, kind: SPAN_KIND.consumer, facts: commandFacts(row), below };
  return inSpan(spec, async (span) => {
    const executed = await BY_KIND[kind](row, context);
    if (!executed.ok) span?.fail(executed.error.code);
    return executed;
  });
}

const BY_KIND: Readonly<Record<CommandRow["kind"], typeof runAndCommit>> = {
  invoke: runAndCommit,
  collect: runAndCommit,
  emit: emitEffect,
  timeout: resolveBlock,
};

function commandFacts({ key, kind, attempts, workflowId, workflowVersion, runId }: CommandRow): Facts {
  return {
    [VERITEST.workflowName]: workflowId,
    [VERITEST.workflowVersion]: workflowVersion,
    [VERITEST.runId]: runId,
    [VERITEST.commandKey]: key,
    [VERITEST.commandKind]: kind,
    [VERITEST.commandAttempt]: attempts,
  };
}

async function emitEffect(row: CommandRow, { sinks }: ExecutionContext): Promise<Result<Executed, RunFailure>> {
  const { key: idempotencyKey, target: topic, workflowId, runId, payload } = row;
  const sink = Object.hasOwn(sinks, topic) ? sinks[topic] : sinks["*"];
  if (sink === undefined) {
    const remedy = 'Add a sink to the runner, or "*" for all other topics.';
    const message = `No sink is configured for topic ${quote(topic)}. ${remedy}`;
    return err({ code: "unknown_topic", message, retryable: false });
  }
  try {
    await sink(payload, { idempotencyKey, topic, workflowId, runId });
    return ok({ kind: "emitted" });
  } catch (thrown) {
    return err({ code: "sink_failed", message: messageOf(thrown), retryable: true });
  }
}

/** Resolves a block with the decision of its timeout, which also finishes the command. */
async function resolveBlock(
  { payload }: CommandRow,
  { store }: ExecutionContext,
): Promise<Result<Executed, RunFailure>> {
  const blockId = isPlainObject(payload) ? String(payload["blockId"]) : "";
  const block = await store.blocks.get(blockId);
  if (!block.ok) return err(postponedBy(block.error));
  const { after = 0, decision: kind = "reject", data } = block.value?.timeout ?? {};
  const decision = block.value?.kind === "suspend" ? ({ kind: "resume", data } as const) : { kind };
  const reason = `No decision within ${after} ms`;
  const resolved = await store.blocks.resolve({ blockId, decision, reason, actor: "veritest" });
  return resolved.ok ? ok({ kind: "timed_out", block: resolved.value }) : err(postponedBy(resolved.error));
}

async function runAndCommit(command: CommandRow, context: ExecutionContext): Promise<Result<Executed, RunFailure>> {
  const match = findStep(command, context);
  if (!match.ok) return match;
  const { workflow, step } = match.value;
  const payload = await inputOf(command, context.store);
  if (!payload.ok) return payload;
  const row = { ...command, payload: payload.value, workflowVersion: workflow.version };
  const result = await runStepOf(row, step, context);
  if (!result.ok) return err(failureOf(result.error));
  const { commands = [] } = result.value;
  const [problem] = commands.length === 0 ? [] : await checkCommands(commands, workflow);
  if (problem !== undefined) {
    const where = problem.index === undefined ? "" : `commands[${problem.index}]: `;
    const message = `Step ${quote(step.name)} returned commands that can't be executed: ${where}${problem.message}`;
    return err({ code: "orchestration_error", message, retryable: false });
  }
  const committed = await commitResult(row, result.value, context);
  return committed.ok
    ? ok({ kind: "committed", committed: committed.value, result: result.value })
    : err(postponedBy(committed.error));
}

/**
 * Commits a result at any version of the run: a step depends only on its input, which came with the command, so its
 * result stays valid whatever else was written meanwhile. With `createsRun`, the commit can create the run.
 *
 * If another worker committed the command first, because this one's lease ended, the result is a duplicate with the
 * version of that commit: the command's key is the step's id, which the store commits once (`#whyNot` of
 * sql-commits.ts).
 */
async function commitResult(
  { key: stepId, workflowId, workflowVersion, runId }: CommandRow,
  { commands = [], stepName, input, output, events, artifacts }: StepResult,
  { store, createsRun = false }: ExecutionContext,
): ReturnType<RunStore["commit"]> {
  const step = { workflowId, workflowVersion, runId, stepId, stepName, input, output, events, commands, artifacts };
  const created = createsRun ? await store.commit({ ...step, expectedVersion: 0 }) : undefined;
  const exists = created?.ok === false && created.error.code === "version_conflict";
  return created === undefined || exists ? store.commit(step) : created;
}

/**
 * Returns the input of a step. A collect gets the outputs of its fanout, in the order of the inputs: of a step that
 * suspended, the output after it was resumed; of one that was reviewed, the output with the fields that a person set.
 */
async function inputOf(
  { kind, payload, workflowId, runId }: CommandRow,
  store: RunStore,
): Promise<Result<unknown, RunFailure>> {
  if (kind !== "collect" || !isPlainObject(payload) || !isArray(payload["keys"])) return ok(payload);
  const entries = await store.entries(workflowId, runId);
  if (!entries.ok) return err(postponedBy(entries.error));
  const blocks = await store.blocks.list({ workflowId, runId, resolved: true });
  if (!blocks.ok) return err(postponedBy(blocks.error));
  const rows = blocks.value.length === 0 ? ok([]) : await store.commands(workflowId, runId);
  if (!rows.ok) return err(postponedBy(rows.error));
  const outputs = new Map<unknown, RunEntry["output"]>(
    entries.value.flatMap(({ kind: written, stepId, output }) => (written === "step" ? [[stepId, output]] : [])),
  );
  const blocked = new Map<unknown, Block>(blocks.value.map((block) => [block.stepId, block]));
  const resumed = new Map(rows.value.map(({ stepId, key }) => [stepId, key]));
  const outputOf = (key: unknown): RunEntry["output"] => {
    const block = blocked.get(key);
    if (block?.kind === "suspend") return outputOf(resumed.get(resumeStepId(block.blockId)));
    const decision = block?.resolution?.decision;
    if (decision?.kind !== "override") return outputs.get(key);
    return effectiveState({ computed: outputs.get(key) ?? {}, overlay: decision.patch });
  };
  return ok(payload["keys"].map(outputOf));
}

/** The adapter `run` of a step that a runner executes: reads the run that the step belongs to. */
export interface RunReader {
  /** Returns the effective state: the outputs so far, with the decisions of people over them. */
  state(): Promise<Readonly<Record<string, unknown>>>;
}

function runReader({ workflowId, runId }: CommandRow, store: RunStore): RunReader {
  return {
    state: async () => {
      const run = await store.load(workflowId, runId);
      if (!run.ok) throw new Error(run.error.message);
      return run.value === undefined ? {} : effectiveState(run.value);
    },
  };
}

/** Finds the step of a command. A command of a version that this runner doesn't have waits for one that does. */
export function findStep(
  { workflowId, workflowVersion, target }: Pick<CommandRow, "workflowId" | "workflowVersion" | "target">,
  { workflows, migrations = {} }: Pick<ExecutionContext, "workflows" | "migrations">,
): Result<{ readonly workflow: ExecutionContext["workflows"][number]; readonly step: AnyStep }, RunFailure> {
  const named = workflows.filter(({ name }) => name === workflowId);
  const continued = Object.hasOwn(migrations, workflowId) ? migrations[workflowId]?.[workflowVersion] : undefined;
  const workflow =
    named.find(({ version }) => version === workflowVersion) ?? named.find(({ version }) => version === continued);
  if (workflow === undefined) {
    const known = named.map(({ version }) => version).join(", ");
    const mapping = `migrations: { ${JSON.stringify(workflowId)}: { ${JSON.stringify(workflowVersion)}: "…" } }`;
    const message =
      `This runner has version ${known || "none"} of workflow ${quote(workflowId)}, but the run needs ` +
      `${workflowVersion}, so it waits. Add that version to workflows, or map it to a version that can ` +
      `continue it: ${mapping}.`;
    return err({ code: "unknown_version", message, retryable: true, postponed: true });
  }
  const step = Object.hasOwn(workflow.steps, target) ? workflow.steps[target] : undefined;
  if (step === undefined)
    return err({ code: "unknown_step", message: stepNotFound(workflow, target), retryable: false });
  return ok({ workflow, step });
}

async function runStepOf(
  row: CommandRow,
  step: AnyStep,
  context: ExecutionContext,
): Promise<Result<StepResult, StepError>> {
  const { workflowId, workflowVersion, runId, payload, key: idempotencyKey } = row;
  const { timeoutMs } = { ...context.retry, ...step.retry };
  const keyed: AnyStep = {
    ...step,
    run: async (input, ctx) =>
      within(timeoutMs, async (signal) => step.run(input, { ...ctx, idempotencyKey, ...signal })),
  };
  const adapters = { run: runReader(row, context.store), ...context.adapters };
  const options = { adapters, workflowId, workflowVersion, runId };
  try {
    return await context.run(keyed, payload, options);
  } catch (thrown) {
    // A step may return a value that isn't JSON, which a recording can't store.
    return err({ code: "not_json", message: messageOf(thrown), retryable: false });
  }
}

/** Runs a step, and rejects with a TimeoutError once its time is up. The step learns of it by its signal. */
async function within<T>(
  timeoutMs: number | undefined,
  run: (signal: { readonly signal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  // A longer timer would fire at once.
  if (timeoutMs === undefined || timeoutMs > MAX_TIMER_MS) return run({});
  const ended = new AbortController();
  const timer = setTimeout(() => {
    ended.abort(new DOMException(`The step exceeded its timeout of ${timeoutMs} ms.`, "TimeoutError"));
  }, timeoutMs);
  const timeout = new Promise<never>((_resolve, reject) => {
    ended.signal.addEventListener("abort", () => reject(ended.signal.reason));
  });
  try {
    return await Promise.race([run({ signal: ended.signal }), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * An error that the network or a busy service threw may pass, whether or not the step says so. So may an aborted
 * request: the runner itself aborts a step only at its timeout.
 */
function failureOf({ code, message, retryable, cause }: StepError): RunFailure {
  return { code, message, retryable: retryable || failureOfThrown(cause)?.kind === "unavailable" || isAborted(cause) };
}

/** A permanent store error is the step's fault; an error that may pass costs no attempt. */
function postponedBy({ code, message, retryable }: StoreError): RunFailure {
  return { code, message, retryable, ...(retryable ? { postponed: true } : {}) };
}
