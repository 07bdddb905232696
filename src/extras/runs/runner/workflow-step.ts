import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { unwrap } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import { messageOf } from "../../../kernel/thrown.ts";
import type { KeyBy } from "../../../kernel/diff/compare-rules.ts";
import { keyedPaths, mapKeyed, normalizeForDiff } from "../../../kernel/diff/normalize-for-diff.ts";
import { type Command, emit, review, suspend } from "../../../kernel/step/command.ts";
import type { AuditEvent, BaseAdapters, StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, type StepReturn, defineStep } from "../../../kernel/step/define-step.ts";
import { type Workflow, stepNotFound } from "../../../kernel/step/define-workflow.ts";
import { type StepFailure, fail } from "../../../kernel/step/fail.ts";
import { run } from "../../../kernel/step/run.ts";
import { PLAIN_OBJECT, parseWith, schemaOf } from "../../../kernel/step/schema.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import type { Block, Decision } from "../../../kernel/step/block.ts";
import type { BlockAnswers, Resumes, WholeRunOptions } from "../../../kernel/step/whole-run.ts";
import type { CommandRow } from "../store/contract.ts";
import { createMemoryStore } from "../store/memory.ts";
import { type Execution, executeCommand } from "./execute.ts";
import { USUAL_ATTEMPTS } from "./limits.ts";

/** What a whole run comes to: its parts together are its effective state, each told where it comes from. */
interface WholeOutput {
  /** The outputs by step and run; arrays that the step keys are records by key. */
  readonly steps: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What somebody was asked and what was answered, by the step and run that asked. */
  readonly decisions?: WholeOutput["steps"];
  /** Of fields that several steps wrote: the one whose value counts. Runs of one step are in no order. */
  readonly latest?: Readonly<Record<string, string>>;
}

/** Commands after which a run is taken for one that never ends. */
const MOST_COMMANDS = 10_000;
const RUN_ID = "run";

/**
 * A workflow as one step, which runs all of it on a store in memory: until nothing is left to do, or a block stays
 * open. Its output holds what each run of a step answered and what was decided; its events are those of all steps; its
 * commands are the effects that a runner would bring out, and the block that stays open. Commands are carried out one
 * after the other, so that a run is the same each time. A step that fails fails the whole, with its own code.
 *
 * Throws a TypeError for a workflow without steps, for names in the options that are no steps of it, and where a step
 * has the workflow's own name: their baselines would lie in one folder.
 *
 * @example
 * export const wholeClaims = workflowStep(claims, { start: "extract", resolve: { review: "approve" } });
 */
export function workflowStep(
  workflow: Pick<Workflow, "name" | "version" | "steps">,
  options: WholeRunOptions = {},
): AnyStep {
  const { name, steps } = workflow;
  const start = options.start ?? firstOf(workflow);
  const known = (step: string): AnyStep => {
    const found = Object.hasOwn(steps, step) ? steps[step] : undefined;
    if (found === undefined) throw new TypeError(stepNotFound(workflow, step));
    return found;
  };
  const first = known(start);
  for (const step of Object.keys(options.runsBy ?? {})) known(step);
  const all = Object.entries(steps);
  if (all.some(([, step]) => step.name === name))
    throw new TypeError(
      `Workflow ${quote(name)} has a step of its own name, so their baselines would lie in one folder: rename one.`,
    );
  const scopes = new Set(all.map(([, { calls }]) => calls));
  const [calls] = scopes.size === 1 ? scopes : [];
  return defineStep({
    name,
    input: schemaOf(async (value) => {
      const parsed = await parseWith(first.inputSchema, value);
      // The step parses it again: what goes in here is what was given.
      return parsed.ok ? { value } : { issues: parsed.error.issues };
    }),
    output: PLAIN_OBJECT,
    // The records are keyed already: these let the rules of `compare` pass their keys unnamed, as in the steps.
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
    run: async (input, ctx) => new WholeRun(workflow, options, ctx).toRest(start, input),
  });
}

function firstOf(workflow: Pick<Workflow, "name" | "steps">): string {
  const [first] = Object.keys(workflow.steps);
  if (first === undefined) throw new TypeError(`Workflow ${quote(workflow.name)} has no steps. Give it one or more.`);
  return first;
}

/** One run of a whole workflow, and what is known of it so far. */
class WholeRun {
  readonly #workflow: Pick<Workflow, "name" | "version" | "steps">;
  readonly #options: WholeRunOptions;
  readonly #ctx: StepContext<BaseAdapters>;
  readonly #world: Execution;
  /** Passes with each decision, so that what waited for it is due again. */
  #now = 0;
  readonly #events: AuditEvent[] = [];
  readonly #effects: Command[] = [];
  readonly #steps = new Map<string, Map<string, unknown>>();
  readonly #decisions = new Map<string, Map<string, unknown>>();
  /** The steps that wrote a field, the last one last. */
  readonly #writers = new Map<string, Set<string>>();
  /** A run's name by the key of its command. */
  readonly #names = new Map<string, readonly [step: string, run: string]>();

  constructor(
    workflow: Pick<Workflow, "name" | "version" | "steps">,
    options: WholeRunOptions,
    ctx: StepContext<BaseAdapters>,
  ) {
    this.#workflow = workflow;
    this.#options = options;
    this.#ctx = ctx;
    this.#world = {
      store: createMemoryStore({ clock: () => this.#now }),
      workflows: [workflow],
      adapters: ctx.adapters,
      sinks: { "*": (payload, { topic }) => void this.#effects.push(emit(topic, payload)) },
      run,
    };
  }

  async toRest(step: string, input: unknown): Promise<StepReturn | StepFailure> {
    const { store } = this.#world;
    const { name: workflowId, version: workflowVersion } = this.#workflow;
    unwrap(await store.start({ workflowId, workflowVersion, runId: RUN_ID, step, input }));
    for (let carriedOut = 0; ; ) {
      const [row] = unwrap(await store.outbox.lease({ owner: RUN_ID, limit: 1, leaseMs: Number.MAX_SAFE_INTEGER }));
      if (row === undefined) {
        const [block] = unwrap(await store.blocks.list());
        if (block === undefined) return this.#whole([]);
        if (!(await this.#answer(block))) return this.#whole([commandOf(block)]);
        continue;
      }
      carriedOut += 1;
      if (carriedOut > MOST_COMMANDS)
        return fail(
          "orchestration_error",
          `The run did not end in ${MOST_COMMANDS} commands: do its steps invoke each other for ever?`,
        );
      const failure = await this.#carryOut(row);
      if (failure !== undefined) return failure;
    }
  }

  async #carryOut(row: CommandRow): Promise<StepFailure | undefined> {
    const { outbox } = this.#world.store;
    const executed = await tried(row, this.#world);
    if (!executed.ok) {
      const { code, message, retryable, postponed } = executed.error;
      if (postponed !== true) return fail(code, `${placeOf(row)}: ${message}`, { retryable });
      // Another block is open: its turn comes when that one is answered.
      unwrap(
        await outbox.markFailed({
          owner: RUN_ID,
          key: row.key,
          error: { code, message },
          retryAt: this.#now + 1,
          uncounted: true,
        }),
      );
      return undefined;
    }
    if (executed.value.kind === "emitted") {
      unwrap(await outbox.markDispatched({ owner: RUN_ID, keys: [row.key] }));
      return undefined;
    }
    return this.#note(row, executed.value.result);
  }

  #note(row: CommandRow, { output, events, artifacts }: StepResult): StepFailure | undefined {
    const runs = this.#steps.get(row.target) ?? new Map<string, unknown>();
    const name = freshName(this.#runName(row, runs.size + 1), runs);
    const step = this.#workflow.steps[row.target];
    try {
      runs.set(name, keyedOutput(output, step?.keyBy ?? {}));
    } catch (thrown) {
      return fail("normalization_failed", `${placeOf(row)}: ${messageOf(thrown)}`);
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
    const field = Object.hasOwn(runsBy, target) ? runsBy[target] : undefined;
    const found =
      field !== undefined && isPlainObject(payload) && Object.hasOwn(payload, field) ? payload[field] : undefined;
    return typeof found === "string" || typeof found === "number" ? String(found) : String(count);
  }

  /** Answers a block as the options say; false where they leave it open. */
  async #answer(block: Block): Promise<boolean> {
    const decision = await decisionOf(block, this.#options.resolve ?? {});
    if (decision === undefined) return false;
    unwrap(
      await this.#world.store.blocks.resolve({ blockId: block.blockId, decision, reason: "resolve", actor: "test" }),
    );
    this.#now += 1;
    const [step, name] = this.#names.get(block.stepId) ?? [block.stepName, "1"];
    const ofStep = this.#decisions.get(step) ?? new Map<string, unknown>();
    this.#decisions.set(step, ofStep.set(name, { ...askedBy(block), answer: wordOf(decision) }));
    return true;
  }

  #whole(open: readonly Command[]): StepReturn {
    const latest = [...this.#writers].filter(([, steps]) => steps.size > 1);
    const output: WholeOutput = {
      steps: byRun(this.#steps),
      ...(this.#decisions.size === 0 ? {} : { decisions: byRun(this.#decisions) }),
      ...(latest.length === 0
        ? {}
        : { latest: Object.fromEntries(latest.map(([field, steps]) => [field, [...steps].at(-1) ?? ""])) }),
    };
    return { output, events: this.#events, commands: [...this.#effects, ...open] };
  }
}

/**
 * Carries a command out, and again where its failure says that this may help: as often as a runner, without its waits.
 */
async function tried(row: CommandRow, world: Execution): ReturnType<typeof executeCommand> {
  for (let attempt = 1; ; attempt += 1) {
    const executed = await executeCommand(row, world);
    const helps = !executed.ok && executed.error.retryable && executed.error.postponed !== true;
    if (!helps || attempt === USUAL_ATTEMPTS) return executed;
  }
}

/**
 * What stands above a record where a list was to be: keyed, the list would be the same, and a change of type is one.
 */
const NO_LIST = "no list";

/** An output with records by key in place of the arrays that its step keys. Throws what `normalizeForDiff` throws. */
function keyedOutput(output: object, keyBy: KeyBy): unknown {
  const record = (fields: object): unknown => ({ [NO_LIST]: fields });
  const marked = mapKeyed(output, keyedPaths(keyBy), { idsOf: () => undefined, list: ({ whole }) => whole, record });
  return normalizeForDiff(marked, keyBy);
}

function byRun(found: ReadonlyMap<string, ReadonlyMap<string, unknown>>): WholeOutput["steps"] {
  return Object.fromEntries([...found].map(([step, runs]) => [step, Object.fromEntries(runs)]));
}

function placeOf({ kind, target }: CommandRow): string {
  return `${kind === "invoke" ? "Step" : "Topic"} ${quote(target)}`;
}

/** A name that no other run of the step has: two inputs may share the field that names them. */
function freshName(name: string, taken: ReadonlyMap<string, unknown>): string {
  for (let count = 1; ; count += 1) {
    const fresh = count === 1 ? name : `${name} (${count})`;
    if (!taken.has(fresh)) return fresh;
  }
}

function commandOf({ kind, reason, payload, checkpoint, resumeStep }: Block): Command {
  return kind === "review" ? review(reason, payload) : suspend({ reason, checkpoint, resumeStep });
}

async function decisionOf(block: Block, answers: BlockAnswers): Promise<Decision | undefined> {
  if (block.kind === "suspend") {
    const { suspend: given } = answers;
    const data: unknown = isFunction(given) ? await given(block.checkpoint, block) : given;
    return data === undefined ? undefined : { kind: "resume", data };
  }
  const { review: given } = answers;
  const answer = typeof given === "function" ? await given(block) : given;
  if (answer === undefined) return undefined;
  if (answer === "approve" || answer === "reject") return { kind: answer };
  if (isPlainObject(answer) && isPlainObject(answer.override)) return { kind: "override", patch: answer.override };
  throw new TypeError(
    `resolve.review answered ${JSON.stringify(answer)}: use "approve", "reject" or { override: { …fields } }.`,
  );
}

function isFunction(given: BlockAnswers["suspend"]): given is Resumes["data"] {
  return typeof given === "function";
}

/** What a block asks, without what is the same in all of them. */
function askedBy({ kind, reason, payload, checkpoint, resumeStep }: Block): Readonly<Record<string, unknown>> {
  const asked = kind === "review" ? { payload } : { checkpoint, resumeStep };
  return { [kind]: reason, ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) };
}

/** A decision as a test gives it. */
function wordOf(decision: Decision): unknown {
  if (decision.kind === "override") {
    const removes = Object.keys(decision.patch).filter((field) => decision.patch[field] === undefined);
    return { override: decision.patch, ...(removes.length === 0 ? {} : { removes }) };
  }
  return decision.kind === "resume" ? { resume: decision.data } : decision.kind;
}
