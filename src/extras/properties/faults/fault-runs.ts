import { createRoleResolver } from "../../../record/calls/infer-role.ts";
import type { CallRole } from "../../../kernel/call-role.ts";
import { storedParts } from "../../../record/snapshot.ts";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import type { StepBaseline } from "../../../baseline/baseline.ts";
import { CHECK_RUN_ID } from "../../../check/check.ts";
import { roleRulesOf } from "../../../check/step-call-rules.ts";
import { compareOutcomes } from "../../../check/compare/compare.ts";
import { type AdapterCall, isMethodCall, responsePath } from "../../../record/adapter-call.ts";
import { type AdapterReplayer, replayAdapters } from "../../../record/replay/replay-adapters.ts";
import { recordedStep } from "../../../record/interceptors/recorders.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import { run } from "../../../kernel/step/run.ts";
import { errorsOf } from "./fault-errors.ts";
import { type FaultName, type FaultyCall, faultOf, providerOf } from "./faults.ts";
import { shuffled } from "../shuffle.ts";
import { inVirtualTime } from "./virtual-time.ts";

/** Outcomes of a step, by the call and the fault: `{ "llm.complete#1": { "error-429": "rate_limit" } }`. */
export type FaultTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Outcome of a step without a fault, or with one that doesn't matter. */
export const UNCHANGED = "same";
const OTHER = "another output";

/** Number of equal requests of a step before it counts as retrying without end. */
const MOST_ATTEMPTS = 50;
/** Number of pairs of faults that are tried of a case by default. */
const PAIRS = 20;

/** Faults after which it is unknown whether a write was done. */
const LOST: ReadonlySet<FaultName> = new Set(["crash-after-effect", "slow", "timeout"]);

/** Number of calls of one adapter that each fail in turn by default: hundreds in a loop fail alike. */
const CALLS = 10;

/** A recorded call in a case, and what it is called. */
interface Target extends FaultyCall {
  readonly name: string;
}

/** A fault of a target. */
interface Strike {
  readonly target: Target;
  readonly fault: FaultName;
}

/** The recorded runs of one case, each with one or two of its calls gone wrong. */
export class FaultRuns {
  readonly #step: AnyStep;
  readonly #baseline: StepBaseline;
  readonly #from: string;
  readonly #uses: ReadonlyMap<AdapterCall, readonly AdapterCall[]>;
  readonly #roleOf: (call: Pick<AdapterCall, "adapter" | "request">) => CallRole;

  /** `from` is the folder whose packages the step uses. */
  constructor(step: AnyStep, baseline: StepBaseline, from: string) {
    this.#step = step;
    this.#baseline = baseline;
    this.#from = from;
    this.#uses = usesByCall(baseline.calls);
    this.#roleOf = createRoleResolver(...roleRulesOf(step));
  }

  /** Returns the outcome of the case as it was recorded: `same`, or the reason why faults couldn't be distinguished. */
  async asRecorded(): Promise<string> {
    return this.#outcome([]);
  }

  /** Returns the outcome of each fault of each call, and of some pairs of faults, or all of them. */
  async table(faults: readonly FaultName[], isFull: boolean): Promise<FaultTable> {
    const targets = await this.#targets(isFull ? Infinity : CALLS);
    const strikes = targets.flatMap((target) =>
      faults.flatMap((fault) => (faultOf(fault, target) === undefined ? [] : [{ target, fault }])),
    );
    const outcomes = new Map<Strike, string>();
    for (const strike of strikes) outcomes.set(strike, await this.#outcome([strike]));
    const rows = targets.map(({ name }) => {
      const own = [...outcomes].filter(([{ target }]) => target.name === name);
      return [name, Object.fromEntries(own.map(([{ fault }, outcome]) => [fault, outcome]))] as const;
    });
    const pairs = await this.#pairs(outcomes, isFull);
    return Object.fromEntries([...rows, ...pairs].filter(([, row]) => Object.keys(row).length > 0));
  }

  async #targets(most: number): Promise<Target[]> {
    const { calls } = this.#baseline;
    const counts = new Map<string, number>();
    const targets: Target[] = [];
    for (const call of calls) {
      const uses = this.#uses.get(call);
      if (uses === undefined) continue;
      const count = (counts.get(call.adapter) ?? 0) + 1;
      counts.set(call.adapter, count);
      if (count > most) continue;
      const provider = providerOf(call, calls);
      const errorOf = await errorsOf(provider, this.#from);
      targets.push({ name: `${call.adapter}#${count}`, call, uses, role: this.#roleOf(call), provider, errorOf });
    }
    return targets;
  }

  /** Returns the pairs with another outcome than either of the two; others add no information. */
  async #pairs(
    singles: ReadonlyMap<Strike, string>,
    isFull: boolean,
  ): Promise<ReadonlyMap<string, FaultTable[string]>> {
    const strikes = [...singles.keys()];
    const pairs = strikes.flatMap((first, index) =>
      strikes.slice(index + 1).flatMap((other) => (first.target === other.target ? [] : [[first, other] as const])),
    );
    const chosen = isFull || pairs.length <= PAIRS ? pairs : shuffled(pairs, 1).slice(0, PAIRS).filter(isPair);
    const rows = new Map<string, Record<string, string>>();
    for (const [first, second] of chosen) {
      const outcome = await this.#outcome([first, second]);
      if (outcome === UNCHANGED || outcome === singles.get(first) || outcome === singles.get(second)) continue;
      const name = `${first.target.name} + ${second.target.name}`;
      rows.set(name, { ...rows.get(name), [`${first.fault} + ${second.fault}`]: outcome });
    }
    return rows;
  }

  async #outcome(strikes: readonly Strike[]): Promise<string> {
    const { input, workflow } = this.#baseline;
    const { calls, faultedCalls } = this.#replayedCalls(strikes);
    const server = replayAdapters(calls);
    // A run that hangs would stay active, and requests from outside of all runs would count as its own.
    const cut = Promise.withResolvers<never>();
    cut.promise.catch(() => undefined);
    const step = recordedStep(this.#step, async (work) =>
      server.runInScope(async () => Promise.race([work(), cut.promise])),
    );
    const end = await inVirtualTime(async () =>
      run(step, input, {
        adapters: server.adapters,
        workflowId: workflow.id,
        workflowVersion: workflow.version,
        runId: CHECK_RUN_ID,
      }),
    ).finally(() => cut.reject(new Error("The run with this fault has ended.")));
    if (end.kind === "hangs") return "hangs";
    if (end.kind === "endless") return "retries endlessly";
    return this.#problemOf(server, faultedCalls) ?? this.#endOf(end.value);
  }

  /**
   * Returns the recorded calls with the faulty ones instead of the ones they replace, as often as they are requested.
   */
  #replayedCalls(strikes: readonly Strike[]): {
    readonly calls: readonly AdapterCall[];
    readonly faultedCalls: ReadonlyMap<AdapterCall, FaultName>;
  } {
    const faultedCalls = new Map<AdapterCall, FaultName>();
    const counts = new Map<string, number>();
    const owned = new Set([...this.#uses.values()].flat());
    const calls = this.#baseline.calls.flatMap((call) => {
      const uses = this.#uses.get(call);
      if (uses === undefined) return owned.has(call) ? [] : [call];
      const strike = strikes.find(({ target }) => target.call === call);
      return Array.from({ length: strike === undefined ? 1 : MOST_ATTEMPTS }, (_, attempt) => {
        const group = renumbered(call, uses, counts);
        if (strike === undefined) return group;
        // A write whose response was lost has run: a retry gets a response.
        const isDone = strike.fault === "crash-after-effect" && attempt > 0;
        const [first, ...rest] = (isDone ? undefined : struckBy(strike, group)) ?? group;
        if (first !== undefined) faultedCalls.set(first, strike.fault);
        return first === undefined ? [] : [first, ...rest];
      }).flat();
    });
    return { calls, faultedCalls };
  }

  /** Returns the problem of a run that its end doesn't show. */
  #problemOf(server: AdapterReplayer, struck: ReadonlyMap<AdapterCall, FaultName>): string | undefined {
    const made = server.made().filter(isMethodCall);
    const writes = made.filter((call) => this.#roleOf(call) === "write" && !isKeyed(call));
    const again = [...Map.groupBy(writes, (call) => `${call.adapter} ${stableStringify(call.request)}`).values()];
    const twice = again.find(
      (group) => group.length > this.#timesOf(group[0]) && group.some((call) => LOST.has(struck.get(call) ?? "empty")),
    );
    if (twice !== undefined) return `wrote twice: ${twice[0]?.adapter}`;
    const [unrecorded] = server.unrecorded();
    if (unrecorded === undefined) return undefined;
    if (unrecorded.reason === "repeated" && this.#roleOf(unrecorded) === "write")
      return `wrote twice: ${unrecorded.adapter}`;
    const attempts = made.filter((call) => struck.has(call)).length;
    return attempts >= MOST_ATTEMPTS ? "retries endlessly" : `unrecorded request: ${unrecorded.adapter}`;
  }

  /** Returns how often the recorded run made that very call. */
  #timesOf(call: AdapterCall | undefined): number {
    const request = stableStringify(call?.request);
    return this.#baseline.calls.filter(
      (recorded) => recorded.adapter === call?.adapter && stableStringify(recorded.request) === request,
    ).length;
  }

  #endOf(result: Awaited<ReturnType<typeof run>>): string {
    if (!result.ok) {
      const { code, message } = result.error;
      // A thrown value doesn't have a code; the line shows if it changes.
      return code === "execution_failed" ? `${code}: ${message.replaceAll(/\s+/g, " ").slice(0, 160)}` : code;
    }
    const { keyBy, compare } = this.#step;
    const { compared } = compareOutcomes(this.#baseline, storedParts(result.value), {
      parts: ["output", "commands"],
      keyBy,
      compare,
      fallsBackToIndex: true,
    });
    return compared.every(({ diff }) => diff.equal) ? UNCHANGED : OTHER;
  }
}

function struckBy({ target, fault }: Strike, [call, ...uses]: readonly [AdapterCall, ...AdapterCall[]]) {
  return faultOf(fault, { ...target, call, uses });
}

function isPair(value: unknown): value is readonly [Strike, Strike] {
  return Array.isArray(value) && value.length === 2;
}

/** An idempotency key as a field, as one of pairs such as those of Headers, or in a query. */
const KEYS: readonly RegExp[] = [
  /\\*"[\w-]*idempoten[\w-]*\\*"\s*:/i,
  /\[\\*"[\w-]*idempoten[\w-]*\\*",\\*"/i,
  /[?&"][\w-]*idempoten[\w-]*=/i,
];

/** Returns true for a write with an idempotency key, which a service does once. The key can be in JSON in a string. */
function isKeyed({ request }: AdapterCall): boolean {
  const text = stableStringify(request);
  return KEYS.some((key) => key.test(text));
}

/**
 * Returns the calls that fail in turn, each with those of its response: of a stream all, of a promise `withResponse()`,
 * which is the same call again. Other values made of a response can fail separately.
 */
export function usesByCall(calls: readonly AdapterCall[]): ReadonlyMap<AdapterCall, readonly AdapterCall[]> {
  const ofAnswers = calls.filter(({ adapter }) => adapter.includes(")."));
  const uses = new Map<AdapterCall, readonly AdapterCall[]>();
  for (const call of calls) {
    if (!isMethodCall(call)) continue;
    const path = `${responsePath(call)}.`;
    const own = ofAnswers.filter(({ adapter }) => adapter.startsWith(path));
    uses.set(call, call.returns === "stream" ? own : own.filter(({ adapter }) => adapter === `${path}withResponse`));
  }
  for (const use of [...uses.values()].flat()) uses.delete(use);
  return uses;
}

/** Returns a call and its uses, with the next number of its request: more of them are replayed than were recorded. */
function renumbered(
  call: AdapterCall,
  uses: readonly AdapterCall[],
  counts: Map<string, number>,
): readonly [AdapterCall, ...AdapterCall[]] {
  const line = `${call.adapter} ${stableStringify(call.request)}`;
  const occurrence = counts.get(line) ?? 0;
  counts.set(line, occurrence + 1);
  const copy = { ...call, occurrence };
  const [from, to] = [responsePath(call), responsePath(copy)];
  return [copy, ...uses.map((use) => ({ ...use, adapter: use.adapter.replace(from, () => to) }))];
}
