import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import type { Result } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import { type Command, type EmitCommand, type InvokeCommand, invoke } from "../../../kernel/step/command.ts";
import type { Block, Decision } from "../../../kernel/step/block.ts";
import type {
  CommandRow,
  Committed,
  Lease,
  Outbox,
  RunEntry,
  StartRun,
  StepCommit,
  StoredRun,
} from "../../runs/store/contract.ts";
import { collectOf, storedCommandKey } from "../../runs/store/prepare.ts";
import type { StoreError } from "../../runs/store/store-error.ts";

/** Properties of a workflow that is run completely, each in a sentence. */
export const WORKFLOW_PROPERTIES = {
  lost: "No command of a committed step is lost: it's executed, it fails, or a reviewer rejects it.",
  once: "A command's key never changes. Only one worker at a time leases the command. It changes its run's state once.",
  blocks: "A step opens at most one block, and the block is resolved once. Until then, the step's commands wait.",
  ends: "Every run reaches an end state after its blocks are resolved.",
} as const;

/** The name of one of {@link WORKFLOW_PROPERTIES}. */
export type WorkflowProperty = keyof typeof WORKFLOW_PROPERTIES;

/** Property that fails, and the problem in one sentence. */
export interface FailedWorkflowProperty {
  readonly property: WorkflowProperty;
  readonly problem: string;
}

/** Status of a run in a store when none of its work is left. */
export interface FinishedRun {
  readonly runId: string;
  readonly run: StoredRun | undefined;
  readonly entries: readonly RunEntry[];
  readonly rows: readonly CommandRow[];
  /** True if a block was left open on purpose: commands that wait for it may wait. */
  readonly isBlocked: boolean;
}

type Answer<T> = Result<T, StoreError>;

interface KnownCommand {
  readonly runId: string;
  readonly kind: CommandRow["kind"];
  readonly words: string;
  /** Review that it waits for. */
  readonly blockId?: string;
}

interface KnownBlock {
  readonly runId: string;
  readonly words: string;
  decision?: Decision["kind"];
}

/** Describes a command in a sentence. */
export type Wording = (command: Pick<CommandRow, "kind" | "target" | "payload" | "runId">) => string;

/**
 * Conditions that a store must satisfy, checked by the requests of workers and its responses: never by its contents,
 * which are under test.
 */
export class WorkflowModel {
  readonly #clock: () => number;
  readonly #wording: Wording;
  readonly #commands = new Map<string, KnownCommand>();
  readonly #blocks = new Map<string, KnownBlock>();
  readonly #leases = new Map<string, { readonly owner: string; readonly until: number }>();
  readonly #committed = new Map<string, StepCommit>();
  readonly #repeated = new Set<string>();
  readonly #effects = new Set<string>();
  readonly #done = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #deliveries: CommandRow[] = [];
  #progress = 0;
  #broken: FailedWorkflowProperty | undefined;

  constructor(clock: () => number, wording: Wording) {
    this.#clock = clock;
    this.#wording = wording;
  }

  /** First property that failed. */
  get broken(): FailedWorkflowProperty | undefined {
    return this.#broken;
  }

  /** Every row that was ever handed to a worker, the last one first. */
  get deliveries(): readonly CommandRow[] {
    return this.#deliveries.toReversed();
  }

  /** Rises with all that brings a run nearer to its end. */
  get progress(): number {
    return this.#progress;
  }

  /** Records that a property fails; consequences of the first failure aren't recorded. */
  blame(property: WorkflowProperty, problem: string): void {
    this.#broken ??= { property, problem };
  }

  noteStart({ workflowId, runId, step, input }: StartRun, answer: Answer<{ readonly started: boolean }>): void {
    if (!answer.ok) return;
    const command = invoke(step, input);
    const key = storedCommandKey({ workflowId, runId, stepName: "start", command });
    this.#know(key, command, { runId });
  }

  noteLease({ owner, leaseMs }: Lease, answer: Answer<readonly CommandRow[]>): void {
    if (!answer.ok) return;
    for (const row of answer.value) {
      const problem = this.#handedOut(row);
      if (problem !== undefined) this.blame(problem.property, problem.problem);
      this.#leases.set(row.key, { owner, until: this.#clock() + leaseMs });
      this.#deliveries.push(row);
    }
  }

  noteCommit(commit: StepCommit, answer: Answer<Committed>): void {
    if (!answer.ok) return;
    const { stepId } = commit;
    if (answer.value.duplicate) return void this.#repeated.add(stepId);
    if (this.#committed.has(stepId)) return this.blame("once", `${this.#words(stepId)} was committed twice.`);
    this.#committed.set(stepId, commit);
    this.#finish(stepId);
    this.#write(commit);
  }

  noteEffect(key: string): void {
    this.#effects.add(key);
  }

  noteDispatched({ owner, keys }: Parameters<Outbox["markDispatched"]>[0], answer: Answer<unknown>): void {
    const refused = answer.ok ? [] : (answer.error.keys ?? keys);
    for (const key of keys.filter((key_) => !refused.includes(key_))) {
      this.#ownMark(key, owner);
      this.#finish(key);
    }
  }

  noteRenewed({ owner, keys, leaseMs }: Parameters<Outbox["renew"]>[0]): void {
    for (const key of keys)
      if (this.#leases.get(key)?.owner === owner) this.#leases.set(key, { owner, until: this.#clock() + leaseMs });
  }

  noteFailed(mark: Parameters<Outbox["markFailed"]>[0], answer: Answer<unknown>): void {
    if (!answer.ok) return;
    const { key, owner, retryMs, uncounted = false } = mark;
    this.#ownMark(key, owner);
    this.#leases.delete(key);
    if (!uncounted) this.#progress += 1;
    if (retryMs !== undefined) return;
    this.#failed.add(key);
    this.#finish(key);
  }

  noteResolved(block: Block, decision: Decision, answer: Answer<Block | null>): void {
    const { blockId, workflowId, runId } = block;
    const known = this.#blocks.get(blockId);
    if (!answer.ok || known === undefined) return;
    const first = known.decision === undefined;
    if (first !== (answer.value !== null)) {
      const problem = first
        ? `Resolving ${known.words} reported that it was already resolved, but it wasn't.`
        : `The store let someone resolve ${known.words} a second time.`;
      return this.blame("blocks", problem);
    }
    if (!first) return;
    this.#progress += 1;
    known.decision = decision.kind;
    if (decision.kind !== "resume") return;
    const { checkpoint, resumeStep = block.stepName } = block;
    const command = invoke(resumeStep, { checkpoint, resumeData: decision.data });
    this.#know(storedCommandKey({ workflowId, runId, stepName: `resume:${blockId}`, command }), command, { runId });
  }

  /** Looks at the blocks that a store calls open. */
  noteOpen(open: readonly Block[]): void {
    const steps = new Map<string, string>();
    for (const { blockId, runId, stepId, kind, stepName } of open) {
      const { words = `a ${kind} of step ${quote(stepName)} of ${runId}`, decision } = this.#blocks.get(blockId) ?? {};
      if (decision !== undefined) this.blame("blocks", `The store still lists ${words} as open after it was resolved.`);
      const other = steps.get(`${runId} ${stepId}`);
      if (other !== undefined) this.blame("blocks", `One step has two open blocks: ${other}, and ${words}.`);
      steps.set(`${runId} ${stepId}`, words);
    }
    for (const [blockId, { words, decision }] of this.#blocks)
      if (decision === undefined && !open.some((block) => block.blockId === blockId))
        this.blame("lost", `A step requested ${words}, but no block is open for it.`);
  }

  /** Checks the status of a run when none of its work is left. */
  noteAtRest(rest: FinishedRun): void {
    const rows = new Map(rest.rows.map((row) => [row.key, row]));
    for (const stepId of this.#repeated)
      if (!this.#committed.has(stepId))
        this.blame("lost", `${this.#words(stepId)} was reported as a duplicate, but it was never committed.`);
    for (const [key, known] of this.#commands)
      if (known.runId === rest.runId) this.#accountFor(rows.get(key), known, rest);
    const status = rest.run?.status ?? "not there";
    if (!rest.isBlocked && status !== "completed" && status !== "failed")
      this.blame("ends", `${rest.runId} is still ${status} although no work is left.`);
    this.#compareState(rest);
  }

  #handedOut(row: CommandRow): FailedWorkflowProperty | undefined {
    const known = this.#commands.get(row.key);
    if (row.kind === "timeout") return undefined;
    if (known === undefined)
      return {
        property: "once",
        problem: `${this.#wording(row)} was leased under a key that no commit created.`,
      };
    const lease = this.#leases.get(row.key);
    if (this.#done.has(row.key))
      return { property: "once", problem: `${known.words} was leased again after it was done.` };
    if (lease !== undefined && this.#clock() < lease.until)
      return { property: "once", problem: `${known.words} was leased to two workers at the same time.` };
    const block = known.blockId === undefined ? undefined : this.#blocks.get(known.blockId);
    if (block === undefined || (block.decision !== undefined && block.decision !== "reject")) return undefined;
    const before = block.decision === undefined ? "before it was resolved" : "although it was rejected";
    return {
      property: "blocks",
      problem: `${known.words} waits for ${block.words}, but the store leased it ${before}.`,
    };
  }

  #ownMark(key: string, owner: string): void {
    if (this.#leases.get(key)?.owner !== owner)
      this.blame("once", `${this.#words(key)} was marked by a worker that didn't have its lease.`);
  }

  #finish(key: string): void {
    this.#progress += 1;
    this.#done.add(key);
    this.#leases.delete(key);
  }

  /** Records the effects of a commit: a row for each command, or a block that they wait for, or fail with. */
  #write({ workflowId, runId, stepId, stepName, commands }: StepCommit): void {
    const blocking = commands.find((command) => command.type === "review" || command.type === "suspend");
    const blockId = blocking && storedCommandKey({ workflowId, runId, stepName: stepId, command: blocking });
    if (blocking !== undefined && blockId !== undefined)
      this.#blocks.set(blockId, { runId, words: `the ${blocking.type} of step ${quote(stepName)} of ${runId}` });
    if (blocking?.type === "suspend") return;
    const keyOf = (command: Command): string => storedCommandKey({ workflowId, runId, stepName: stepId, command });
    const more = { runId, ...(blockId === undefined ? {} : { blockId }) };
    for (const command of commands) {
      for (const single of singles(command)) this.#know(keyOf(single), single, more);
      const collect = collectOf(command, keyOf);
      if (collect !== undefined) this.#know(collect.key, invoke(collect.step, { keys: collect.keys }), more);
    }
  }

  #know(key: string, single: Single, more: Pick<KnownCommand, "runId" | "blockId">): void {
    if (this.#commands.has(key)) return;
    const [target, payload] = single.type === "invoke" ? [single.step, single.input] : [single.topic, single.payload];
    const words = this.#wording({ kind: single.type, target, payload, runId: more.runId });
    this.#commands.set(key, { kind: single.type, words, ...more });
  }

  #words(key: string): string {
    return this.#commands.get(key)?.words ?? `A command that no step returned (${key})`;
  }

  #accountFor(
    row: CommandRow | undefined,
    { kind, words, blockId }: KnownCommand,
    { isBlocked, rows }: FinishedRun,
  ): void {
    if (row === undefined) return this.blame("lost", `${words} was committed, but the store doesn't have it.`);
    const { key, status } = row;
    const decision = blockId === undefined ? undefined : this.#blocks.get(blockId)?.decision;
    switch (status) {
      case "dispatched": {
        const happened = kind === "emit" ? this.#effects.has(key) : this.#committed.has(key);
        if (!happened) this.blame("lost", `${words} is marked as done, but no worker executed it.`);
        return;
      }
      case "joining":
        if (!isBlocked && !rows.some((other) => other.status === "failed"))
          this.blame("lost", `${words} never starts, although none of the commands that it waits for has failed.`);
        return;
      case "cancelled":
        return this.blame("lost", `${words} was cancelled, but its run wasn't.`);
      case "blocked":
        if (!isBlocked) this.blame("lost", `${words} is still blocked, although its block was resolved.`);
        return;
      case "rejected":
        if (decision !== "reject" && !this.#committed.has(key) && !joinsRejected(row, rows))
          this.blame("lost", `${words} has the status "rejected", but the review that it belongs to wasn't rejected.`);
        return;
      case "failed":
        if (!this.#failed.has(key))
          this.blame("lost", `${words} is marked as failed, but no worker reported its failure.`);
        return;
      case "pending":
      case "deferred":
        if (!isBlocked) this.blame("lost", `${words} stays ${status}, because no worker receives it.`);
        return;
      case "leased":
        if (!isBlocked)
          this.blame("ends", `${words} stays leased to a worker that died, because the lease doesn't expire.`);
    }
  }

  #compareState({ runId, run, entries }: FinishedRun): void {
    const commits = [...this.#committed.values()].filter((commit) => commit.runId === runId);
    const written = entries.filter(({ kind }) => kind === "step");
    for (const { stepId } of commits)
      if (!written.some((entry) => entry.stepId === stepId))
        this.blame("lost", `${this.#words(stepId)} was committed, but its output is missing.`);
    const ids = written.map(({ stepId }) => stepId);
    const more = written.find(({ stepId }, index) => !this.#committed.has(stepId) || ids.indexOf(stepId) < index);
    if (more !== undefined)
      this.blame(
        "once",
        `The history of run ${runId} contains step ${quote(more.stepName)} more often than the step was committed.`,
      );
    const outputs = commits.flatMap(({ output }) => Object.entries(output).filter(([, value]) => value !== undefined));
    if (stableStringify(Object.fromEntries(outputs)) !== stableStringify(run?.computed ?? {}))
      this.blame("once", `The state of ${runId} doesn't match the results of its steps, each applied once.`);
  }
}

/** True for a collect of a fanout with a step whose review was rejected. */
function joinsRejected({ kind, payload }: CommandRow, rows: readonly CommandRow[]): boolean {
  const keys = JSON.stringify(payload);
  return kind === "collect" && rows.some((row) => row.status === "rejected" && keys.includes(row.key));
}

type Single = InvokeCommand | EmitCommand;

/** Returns a command as a store has it: a fanout is one step per input, and a block isn't a row. */
function singles(command: Command): Single[] {
  switch (command.type) {
    case "invoke":
    case "emit":
      return [command];
    case "fanout":
      return command.inputs.map((input) => invoke(command.step, input));
    case "review":
    case "suspend":
      return [];
  }
}
