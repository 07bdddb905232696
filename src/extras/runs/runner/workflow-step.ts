import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { unwrap } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import type { KeyBy } from "../../../kernel/diff/compare-rules.ts";
import { keyedPaths, mapKeyed, normalizeForDiff } from "../../../kernel/diff/keyed-lists.ts";
import { type Command, emit, review, suspend } from "../../../kernel/step/command.ts";
import type { AuditEvent, BaseAdapters, StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, type StepReturn, defineStep } from "../../../kernel/step/define-step.ts";
import { type Workflow, stepNotFound } from "../../../kernel/step/define-workflow.ts";
import { type StepFailure, fail } from "../../../kernel/step/fail.ts";
import { run } from "../../../kernel/step/run.ts";
import { PLAIN_OBJECT, parseWith, schemaOf } from "../../../kernel/step/schema.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import type { Block, Decision } from "../../../kernel/step/block.ts";
import type { BlockResolutions, Resumes, StoredWholeRun, WorkflowStepOptions } from "../../../kernel/step/whole-run.ts";
import type { CommandRow } from "../store/contract.ts";
import { createMemoryStore } from "../store/memory.ts";
import { type ExecutionContext, executeCommand } from "./execute-command.ts";
import { DEFAULT_ATTEMPTS } from "./limits.ts";
import { RepeatedRun } from "./repeated-run.ts";
import { withStepParses } from "./step-parses.ts";

/** Output of a complete run: together its parts are the effective state, each with its source. */
interface WholeOutput {
  /** Outputs by step and run. Arrays that the step keys are records by key. */
  readonly steps: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Requests and decisions of blocks, by step and run. */
  readonly decisions?: WholeOutput["steps"];
  /** Step whose value is used for a field that several steps wrote. Runs of one step have no order. */
  readonly latest?: Readonly<Record<string, string>>;
  /** Fields of inputs that name the runs of a step. Runs of other steps are counted. */
  readonly runsBy?: Readonly<Record<string, string>>;
}

/** Maximum number of commands; a run with more is treated as endless. */
const MOST_COMMANDS = 10_000;
const RUN_ID = "run";

/**
 * Turns a workflow into one step, so that one test can run the workflow, and the configuration can list it. The step
 * runs the workflow on a store in memory until it's done or a block stays open. The output contains the output of each
 * run and the decisions. The events are those of all steps. The commands are the effects that a runner would perform,
 * and the block that stays open. Commands run one at a time, so each run is the same. If a step of the workflow fails,
 * this step fails with its code.
 *
 * Throws a TypeError if the workflow has no steps, if an option names a step that the workflow doesn't have, or if a
 * step has the workflow's own name, because their baselines would share a folder.
 *
 * @example
 * export const wholeClaims = workflowStep(claims, { start: "extract", resolve: { review: "approve" } });
 */
export function workflowStep(
  workflow: Pick<Workflow, "name" | "version" | "steps">,
  options: WorkflowStepOptions = {},
): AnyStep {
  return stepOf(workflow, options, {});
}

function stepOf(
  workflow: Pick<Workflow, "name" | "version" | "steps">,
  options: WorkflowStepOptions,
  stored: StoredWholeRun,
): AnyStep {
  const { name, steps } = workflow;
  const start = options.start ?? firstOf(workflow);
  const known = (step: string): AnyStep => {
    const match = Object.hasOwn(steps, step) ? steps[step] : undefined;
    if (match === undefined) throw new TypeError(stepNotFound(workflow, step));
    return match;
  };
  const first = known(start);
  for (const step of Object.keys(options.runsBy ?? {})) known(step);
  const all = Object.entries(steps);
  if (all.some(([, step]) => step.name === name))
    throw new TypeError(
      `Workflow ${quote(name)} has a step of the same name, so their baselines would share a folder. Rename ` +
        "one of them.",
    );
  const scopes = new Set(all.map(([, { calls }]) => calls));
  const [calls] = scopes.size === 1 ? scopes : [];
  const step = defineStep({
    name,
    input: schemaOf(async (value) => {
      const parsed = await parseWith(first.inputSchema, value);
      // The step parses the input again, so the original goes in.
      return parsed.ok ? { value } : { issues: parsed.error.issues };
    }),
    output: PLAIN_OBJECT,
    // The records are already keyed. These rules let the paths of `compare` omit the keys, as in the steps.
    keyBy: Object.fromEntries(
      all.flatMap(([step, { keyBy }]) => [
        [`steps.${step}`, "run"],
        ...Object.entries(keyBy).map(([path, key]) => [`steps.${step}.${path}`, key] as const),
      ]),
    ),
    compare: Object.fromEntries(
      all.flatMap(([step, { compare }]) =>
        Object.entries(compare).map(([path, rule]) => [`steps.${step}.${path}`, rule] as const),
      ),
    ),
    roles: Object.fromEntries(all.flatMap(([, { roles = {} }]) => Object.entries(roles))),
    ...(calls === undefined ? {} : { calls }),
    run: async (input, ctx) =>
      withStepParses(workflow, { stored: stored.parses, ctx }, async (watched) =>
        new WholeRun({ workflow: watched, options, stored }, ctx).toRest(start, input),
      ),
  });
  return Object.freeze({
    ...step,
    repeating: (run: StoredWholeRun) => stepOf(workflow, options, { ...stored, ...run }),
  });
}

function firstOf({ name, steps }: Pick<Workflow, "name" | "steps">): string {
  const [first] = Object.keys(steps);
  if (first !== undefined) return first;
  throw new TypeError(`Workflow ${quote(name)} has no steps. Add one or more.`);
}

interface WholeRunOptions {
  readonly workflow: Pick<Workflow, "name" | "version" | "steps">;
  readonly options: WorkflowStepOptions;
  readonly stored: StoredWholeRun;
}

/** One run of a complete workflow, and its state so far. */
class WholeRun {
  readonly #workflow: Pick<Workflow, "name" | "version" | "steps">;
  readonly #options: WorkflowStepOptions;
  readonly #ctx: StepContext<BaseAdapters>;
  readonly #context: ExecutionContext;
  /** Advances with each decision, and to the time of the next delayed command. */
  #now = 0;
  readonly #events: AuditEvent[] = [];
  readonly #effects: Command[] = [];
  readonly #steps = new Map<string, Map<string, unknown>>();
  readonly #decisions = new Map<string, Map<string, unknown>>();
  /** Steps that wrote a field, in the order of their last writes. */
  readonly #writers = new Map<string, Set<string>>();
  /** Names of runs by the keys of their commands. */
  readonly #names = new Map<string, readonly [step: string, run: string]>();
  /** Fields of inputs that name the runs of a step. */
  readonly #fields = new Map<string, string>();
  readonly #stored: RepeatedRun;

  constructor({ workflow, options, stored }: WholeRunOptions, ctx: StepContext<BaseAdapters>) {
    this.#workflow = workflow;
    this.#options = options;
    this.#stored = new RepeatedRun(stored);
    this.#ctx = ctx;
    this.#context = {
      store: createMemoryStore({ clock: () => this.#now }),
      workflows: [workflow],
      adapters: ctx.adapters,
      sinks: { "*": (payload, { topic }) => void this.#effects.push(emit(topic, payload)) },
      run,
    };
  }

  async toRest(step: string, input: unknown): Promise<StepReturn | StepFailure> {
    const { store } = this.#context;
    const { name: workflowId, version: workflowVersion } = this.#workflow;
    unwrap(await store.start({ workflowId, workflowVersion, runId: RUN_ID, step, input }));
    for (let carriedOut = 0; ; ) {
      const [row] = unwrap(await store.outbox.lease({ owner: RUN_ID, limit: 1, leaseMs: Number.MAX_SAFE_INTEGER }));
      if (row === undefined) {
        const open = unwrap(await store.blocks.list());
        let answered = false;
        for (const block of open) answered = (await this.#answer(block)) || answered;
        if (answered) continue;
        const rows = unwrap(await store.commands(workflowId, RUN_ID));
        const delayed = rows.flatMap(({ status, availableAt }) =>
          status === "pending" && availableAt > this.#now ? [availableAt] : [],
        );
        if (delayed.length === 0) return this.#stored.missing() ?? this.#whole(open.map(commandOf));
        this.#now = Math.min(...delayed);
        continue;
      }
      carriedOut += 1;
      if (carriedOut > MOST_COMMANDS)
        return fail(
          "orchestration_error",
          `The run didn't finish within ${MOST_COMMANDS} commands. Check that its steps don't invoke each ` +
            "other endlessly.",
        );
      const failure = await this.#carryOut(row);
      if (failure !== undefined) return failure;
    }
  }

  async #carryOut(row: CommandRow): Promise<StepFailure | undefined> {
    const { outbox } = this.#context.store;
    const executed = await tried(row, this.#context);
    if (!executed.ok) {
      const { code, message, retryable } = executed.error;
      return fail(code, `${locationOf(row)}: ${message}`, { retryable });
    }
    if (executed.value.kind === "emitted") {
      unwrap(await outbox.markDispatched({ owner: RUN_ID, keys: [row.key] }));
      return undefined;
    }
    if (executed.value.kind === "committed") return this.#note(row, executed.value.result);
    const { block } = executed.value;
    if (block?.resolution !== undefined) this.#decide(block, block.resolution.decision);
    return undefined;
  }

  #note(row: CommandRow, { output, events, artifacts }: StepResult): StepFailure | undefined {
    const other = this.#stored.accountFor(row.target, output);
    if (other !== undefined) return other;
    const runs = this.#steps.get(row.target) ?? new Map<string, unknown>();
    const name = freshName(this.#runName(row, runs.size + 1), runs);
    const step = this.#workflow.steps[row.target];
    try {
      runs.set(name, keyedOutput(output, step?.keyBy ?? {}));
    } catch (thrown) {
      return fail("normalization_failed", `${locationOf(row)}: ${messageOf(thrown)}`);
    }
    this.#steps.set(row.target, runs);
    this.#names.set(row.key, [row.target, name]);
    for (const field of Object.keys(output)) {
      const writers = this.#writers.get(field) ?? new Set<string>();
      writers.delete(row.target);
      this.#writers.set(field, writers.add(row.target));
    }
    this.#events.push(...events);
    for (const artifact of artifacts) this.#ctx.onArtifact?.(artifact);
    return undefined;
  }

  #runName({ target, payload }: CommandRow, count: number): string {
    const { runsBy = {} } = this.#options;
    const field = Object.hasOwn(runsBy, target) ? runsBy[target] : this.#stored.fieldOf(target);
    if (field !== undefined) this.#fields.set(target, field);
    const name =
      field !== undefined && isPlainObject(payload) && Object.hasOwn(payload, field) ? payload[field] : undefined;
    return typeof name === "string" || typeof name === "number" ? String(name) : String(count);
  }

  /** Resolves a block as the options say; returns false if they leave it open. */
  async #answer(block: Block): Promise<boolean> {
    const [step, name] = this.#names.get(block.stepId) ?? [block.stepName, "1"];
    const { resolve = this.#stored.resolve } = this.#options;
    const decision = resolve === undefined ? this.#stored.decisionOf(step, name) : await decisionOf(block, resolve);
    if (decision === undefined) return false;
    unwrap(
      await this.#context.store.blocks.resolve({ blockId: block.blockId, decision, reason: "resolve", actor: "test" }),
    );
    this.#now += 1;
    this.#decide(block, decision);
    return true;
  }

  #decide(block: Block, decision: Decision): void {
    const [step, name] = this.#names.get(block.stepId) ?? [block.stepName, "1"];
    const ofStep = this.#decisions.get(step) ?? new Map<string, unknown>();
    this.#decisions.set(step, ofStep.set(name, { ...requestedBy(block), answer: wordOf(decision) }));
  }

  #whole(open: readonly Command[]): StepReturn {
    const latest = [...this.#writers].filter(([, steps]) => steps.size > 1);
    const output: WholeOutput = {
      steps: byRun(this.#steps),
      ...(this.#decisions.size === 0 ? {} : { decisions: byRun(this.#decisions) }),
      ...(latest.length === 0
        ? {}
        : { latest: Object.fromEntries(latest.map(([field, steps]) => [field, [...steps].at(-1) ?? ""])) }),
      ...(this.#fields.size === 0 ? {} : { runsBy: Object.fromEntries(this.#fields) }),
    };
    return { output, events: this.#events, commands: [...this.#effects, ...open] };
  }
}

/** Carries out a command, and retries it if its failure is retryable: as often as a runner, but without waiting. */
async function tried(row: CommandRow, context: ExecutionContext): ReturnType<typeof executeCommand> {
  for (let attempt = 1; ; attempt += 1) {
    const executed = await executeCommand(row, context);
    const helps = !executed.ok && executed.error.retryable;
    if (!helps || attempt === DEFAULT_ATTEMPTS) return executed;
  }
}

/**
 * Replaces a record that should have been a list: keyed, the list would look the same, which would hide the change of
 * type.
 */
const NO_LIST = "no list";

/**
 * Returns an output with records by key instead of the arrays that its step keys. Throws the errors of
 * `normalizeForDiff`.
 */
function keyedOutput(output: object, keyBy: KeyBy): unknown {
  const record = (fields: object): unknown => ({ [NO_LIST]: fields });
  const marked = mapKeyed(output, keyedPaths(keyBy), { idsOf: () => undefined, list: ({ whole }) => whole, record });
  return normalizeForDiff(marked, keyBy);
}

function byRun(byStep: ReadonlyMap<string, ReadonlyMap<string, unknown>>): WholeOutput["steps"] {
  return Object.fromEntries([...byStep].map(([step, runs]) => [step, Object.fromEntries(runs)]));
}

function locationOf({ kind, target }: CommandRow): string {
  return `${kind === "emit" ? "Topic" : "Step"} ${quote(target)}`;
}

/**
 * Returns a name that no other run of the step has: two inputs may have the same value in the field that names them.
 */
function freshName(name: string, used: ReadonlyMap<string, unknown>): string {
  for (let count = 1; ; count += 1) {
    const fresh = count === 1 ? name : `${name} (${count})`;
    if (!used.has(fresh)) return fresh;
  }
}

function commandOf({ kind, reason, payload, checkpoint, resumeStep }: Block): Command {
  return kind === "review" ? review(reason, payload) : suspend({ reason, checkpoint, resumeStep });
}

async function decisionOf(block: Block, answers: BlockResolutions): Promise<Decision | undefined> {
  if (block.kind === "suspend") {
    const { suspend: answer } = answers;
    const data: unknown = isFunction(answer) ? await answer(block.checkpoint, block) : answer;
    return data === undefined ? undefined : { kind: "resume", data };
  }
  const { review } = answers;
  const answer = typeof review === "function" ? await review(block) : review;
  if (answer === undefined) return undefined;
  if (answer === "approve" || answer === "reject") return { kind: answer };
  if (isPlainObject(answer) && isPlainObject(answer.override)) return { kind: "override", patch: answer.override };
  throw new TypeError(
    `resolve.review must return "approve", "reject" or { override: { …fields } }, got ${JSON.stringify(answer)}.`,
  );
}

function isFunction(value: BlockResolutions["suspend"]): value is Resumes["data"] {
  return typeof value === "function";
}

/** Content of a block without the fields that every block has. */
function requestedBy({ kind, reason, payload, checkpoint, resumeStep }: Block): Readonly<Record<string, unknown>> {
  const content = kind === "review" ? { payload } : { checkpoint, resumeStep };
  return { [kind]: reason, ...Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined)) };
}

/** Returns a decision in the form that a test gives it. */
function wordOf(decision: Decision): unknown {
  if (decision.kind === "override") {
    const removes = Object.keys(decision.patch).filter((field) => decision.patch[field] === undefined);
    return { override: decision.patch, ...(removes.length === 0 ? {} : { removes }) };
  }
  return decision.kind === "resume" ? { resume: decision.data } : decision.kind;
}
