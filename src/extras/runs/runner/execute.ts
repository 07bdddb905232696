import { type Result, err, ok } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import { messageOf } from "../../../kernel/thrown.ts";
import { checkCommands } from "../../../kernel/step/check-commands.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import { type Workflow, stepNotFound } from "../../../kernel/step/define-workflow.ts";
import type { StepError } from "../../../kernel/step/fail.ts";
import type { RunOptions } from "../../../kernel/step/run.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import type { CommandRow, Committed, RunStore } from "../store/contract.ts";
import type { StoreError } from "../store/store-error.ts";
import { VERITEST } from "../../../kernel/telemetry/attributes.ts";
import { measure } from "../../../kernel/telemetry/metrics.ts";
import { type Facts, SPAN_KIND, inSpan } from "../../../kernel/telemetry/spans.ts";

/** What a step or an effect came to nothing by; codes are the step's, the store's or the runner's own. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** True where no attempt was made: it costs none, and is tried again until it can be. */
  readonly postponed?: boolean;
}

/** Brings an effect out. It may be asked twice for one key: what it does has to be once per key. */
export type Sink = (
  payload: unknown,
  effect: {
    readonly idempotencyKey: string;
    readonly topic: string;
    readonly workflowId: string;
    readonly runId: string;
  },
) => Promise<void> | void;

/** The world in which commands are carried out. */
export interface Execution {
  readonly store: RunStore;
  readonly workflows: readonly Pick<Workflow, "name" | "version" | "steps">[];
  readonly adapters: object;
  readonly sinks: Readonly<Record<string, Sink>>;
  /** How a step is run: `runRecorded` where adapter calls are kept with the run, so that it can be replayed. */
  readonly run: (step: AnyStep, input: unknown, options: RunOptions) => Promise<Result<StepResult, StepError>>;
  /** Unix milliseconds, as the store has them: how late commands are taken is told by it. Absent: it is not told. */
  readonly clock?: () => number;
}

/** What a command that was carried out leaves. */
export type Executed =
  | { readonly kind: "committed"; readonly committed: Committed; readonly result: StepResult }
  | { readonly kind: "emitted" };

const MOST_CONFLICTS = 100;

/**
 * Carries one command out: runs its step and commits, or brings its effect out. The span `veritest.dispatch <target>`
 * around it belongs below the work that wrote the command, on whatever machine that was.
 */
export async function executeCommand(row: CommandRow, world: Execution): Promise<Result<Executed, RunFailure>> {
  const { kind, target, traceparent: below } = row;
  if (world.clock !== undefined)
    measure("dispatchLag", Math.max(0, world.clock() - row.availableAt) / 1000, {
      [VERITEST.workflowName]: row.workflowId,
      [VERITEST.commandKind]: kind,
    });
  const spec = { name: `veritest.dispatch ${target}`, kind: SPAN_KIND.consumer, facts: commandFacts(row), below };
  return inSpan(spec, async (span) => {
    const executed = await (kind === "emit" ? bringOut(row, world) : runAndCommit(row, world));
    if (!executed.ok) span?.fail(executed.error.code);
    return executed;
  });
}

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

async function bringOut(row: CommandRow, { sinks }: Execution): Promise<Result<Executed, RunFailure>> {
  const { key: idempotencyKey, target: topic, workflowId, runId, payload } = row;
  const sink = Object.hasOwn(sinks, topic) ? sinks[topic] : sinks["*"];
  if (sink === undefined) {
    const message = `No sink takes topic ${quote(topic)}: give the runner one, or "*" for all that have none.`;
    return err({ code: "unknown_topic", message, retryable: false });
  }
  try {
    await sink(payload, { idempotencyKey, topic, workflowId, runId });
    return ok({ kind: "emitted" });
  } catch (thrown) {
    return err({ code: "sink_failed", message: messageOf(thrown), retryable: true });
  }
}

async function runAndCommit(row: CommandRow, world: Execution): Promise<Result<Executed, RunFailure>> {
  const found = findStep(row, world.workflows);
  if (!found.ok) return found;
  const { workflow, step } = found.value;
  const result = await runStepOf(row, step, world);
  if (!result.ok) return err(failureOf(result.error));
  const { commands = [] } = result.value;
  const [problem] = commands.length === 0 ? [] : await checkCommands(commands, workflow);
  if (problem !== undefined) {
    const where = problem.index === undefined ? "" : `commands[${problem.index}]: `;
    const message = `Step ${quote(step.name)} returned commands that cannot be carried out: ${where}${problem.message}`;
    return err({ code: "orchestration_error", message, retryable: false });
  }
  const committed = await commitResult(row, result.value, world.store);
  return committed.ok ? ok({ kind: "committed", committed: committed.value, result: result.value }) : committed;
}

function findStep(
  { workflowId, workflowVersion, target }: CommandRow,
  workflows: Execution["workflows"],
): Result<{ readonly workflow: Execution["workflows"][number]; readonly step: AnyStep }, RunFailure> {
  const named = workflows.filter(({ name }) => name === workflowId);
  const workflow = named.find(({ version }) => version === workflowVersion);
  if (named.length === 0) {
    const known = workflows.map(({ name }) => quote(name)).join(", ");
    const message = `No workflow ${quote(workflowId)} in this runner. Known: ${known || "none"}.`;
    return err({ code: "unknown_workflow", message, retryable: true });
  }
  if (workflow === undefined) {
    // During a deployment another worker may know it, so it is tried again.
    const known = named.map(({ version }) => version).join(", ");
    const job = `The job is of version ${workflowVersion} of workflow ${quote(workflowId)}`;
    const message = `${job}, this runner has ${known}. Keep the old version beside it.`;
    return err({ code: "workflow_version", message, retryable: true });
  }
  const step = Object.hasOwn(workflow.steps, target) ? workflow.steps[target] : undefined;
  if (step === undefined)
    return err({ code: "unknown_step", message: stepNotFound(workflow, target), retryable: false });
  return ok({ workflow, step });
}

async function runStepOf(row: CommandRow, step: AnyStep, world: Execution): Promise<Result<StepResult, StepError>> {
  const { workflowId, workflowVersion, runId, payload, key: idempotencyKey } = row;
  const keyed: AnyStep = { ...step, run: async (input, ctx) => step.run(input, { ...ctx, idempotencyKey }) };
  const options = { adapters: world.adapters, workflowId, workflowVersion, runId };
  try {
    return await world.run(keyed, payload, options);
  } catch (thrown) {
    // What a step returns may be no JSON, which a recording cannot hold.
    return err({ code: "not_json", message: messageOf(thrown), retryable: false });
  }
}

function failureOf({ code, message, retryable }: StepError): RunFailure {
  return { code, message, retryable };
}

/**
 * A step is a function of its input, which came with the command: what it answered holds whatever else was written
 * meanwhile, so after a conflict only the commit is tried again, and no model is asked twice.
 */
async function commitResult(
  { key: stepId, workflowId, workflowVersion, runId }: CommandRow,
  { stepName, input, output, events, commands = [], artifacts }: StepResult,
  store: RunStore,
): Promise<Result<Committed, RunFailure>> {
  for (let conflicts = 0; ; conflicts += 1) {
    const state = await store.load(workflowId, runId);
    if (!state.ok) return err(postponedBy(state.error));
    const committed = await store.commit({
      workflowId,
      workflowVersion,
      runId,
      stepId,
      stepName,
      expectedVersion: state.value?.version ?? 0,
      input,
      output,
      events,
      commands,
      artifacts,
    });
    if (committed.ok) return committed;
    if (committed.error.code !== "version_conflict" || conflicts === MOST_CONFLICTS)
      return err(postponedBy(committed.error));
  }
}

/** What the store refuses for good is the step's fault; what may work later costs no attempt. */
function postponedBy({ code, message, retryable }: StoreError): RunFailure {
  return { code, message, retryable, ...(retryable ? { postponed: true } : {}) };
}
