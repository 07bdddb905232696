import * as fc from "fast-check";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { StepBaseline } from "../../baseline/baseline.ts";
import { CallReplayer } from "../../record/replay/replay-adapters.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { Schema } from "../../kernel/step/schema.ts";
import { arbitraryOf } from "./arbitrary-of.ts";
import { schemaNode } from "./schema-node.ts";
import type { TrialResponses } from "./trial.ts";

/** Answers drawn for one run: those of each method, by its dot path. */
export type GeneratedResponses = Readonly<Record<string, readonly unknown[]>>;

/** Where the answers of drawn runs come from. */
export interface GeneratedResponseSource {
  /** Draws what the methods that are made up answer. */
  readonly generated: fc.Arbitrary<GeneratedResponses>;
  /** Makes what answers one run on an input. */
  readonly open: (input: unknown, drawn: GeneratedResponses) => TrialResponses;
}

/** What of a stored case answers. */
export type RespondingCase = Pick<StepBaseline, "input" | "calls">;

/**
 * Where answers come from: methods in `answers` from what is drawn for them, all others from the adapters given, or,
 * where none are given, from the stored case whose input is nearest, in the order in which it was recorded.
 */
export function generatedResponseSource({
  adapters,
  answers = {},
  cases,
}: {
  readonly adapters?: BaseAdapters | undefined;
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  readonly cases: readonly RespondingCase[];
}): GeneratedResponseSource {
  const lists = Object.entries(answers).map(
    ([path, answer]) => [path, fc.array(arbitraryFrom(answer, path), LIST)] as const,
  );
  const generated: fc.Arbitrary<GeneratedResponses> = fc.record(Object.fromEntries(lists));
  const recorded = cases.filter(({ calls }) => calls.length > 0).slice(0, MAX_CASES);
  const leaves = recorded.map(({ input }) => new Set(leavesOf(input)));
  const base = (input: unknown): TrialResponses => {
    if (adapters !== undefined) return { adapters };
    const nearest = recorded.length > 1 ? recorded[nearestOf(leavesOf(input), leaves)] : recorded[0];
    return nearest === undefined ? { adapters: {} } : scripted(nearest);
  };
  return {
    generated,
    open: (input, made) => {
      const under = base(input);
      return Object.keys(made).length === 0 ? under : { ...under, adapters: withAnswers(under.adapters, made) };
    },
  };
}

/** Cases that are looked through for the nearest one, for each run. */
const MAX_CASES = 50;
/** Answers of a method that are drawn for a run: a call after the last gets the first again. */
const LIST = { minLength: 1, maxLength: 4 } as const;

/** An arbitrary as it is given, or that of a schema. Throws a TypeError for anything else. */
export function arbitraryFrom(given: unknown, where: string): fc.Arbitrary<unknown> {
  if (isArbitrary(given)) return given;
  if (isSchema(given)) return arbitraryOf(given);
  throw new TypeError(`toSatisfyProperties: ${where} is neither a schema nor an arbitrary of fast-check.`);
}

/** Tells an arbitrary of fast-check, also of another copy of it. */
function isArbitrary(value: unknown): value is fc.Arbitrary<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "generate") === "function" &&
    typeof Reflect.get(value, "shrink") === "function"
  );
}

function isSchema(value: unknown): value is Schema {
  return schemaNode(value) !== undefined;
}

function scripted({ calls }: RespondingCase): TrialResponses {
  const server = new CallReplayer(calls, undefined, () => true);
  return {
    adapters: server.adapters,
    within: async (work) => server.within(work),
    unrecorded: () => server.unrecorded(),
  };
}

/** Adapters with methods put in the place of some of theirs. */
function withAnswers(adapters: BaseAdapters, drawn: GeneratedResponses): BaseAdapters {
  return Object.entries(drawn).reduce(
    (all, [path, answers]) => withMethod(all, path.split("."), answering(answers)),
    adapters,
  );
}

/** Calls of a method that one run may make before no answer comes any more. */
const MAX_CALLS = 1000;

/**
 * Promised, as what reaches another machine is. A step that asks without end gets no answer at last: awaiting promises
 * that are resolved already, it would never let the clock run that says so.
 */
function answering(answers: readonly unknown[]): () => Promise<unknown> {
  let asked = 0;
  return async () => {
    const answer = answers[asked % answers.length];
    asked += 1;
    return asked > MAX_CALLS ? new Promise(() => undefined) : answer;
  };
}

/** Nothing is written into what the test gave: what is not replaced is looked up there. */
function withMethod(owner: object, [name = "", ...rest]: readonly string[], method: () => Promise<unknown>): object {
  const inner: unknown = Reflect.get(owner, name);
  const value = rest.length === 0 ? method : withMethod(isOwner(inner) ? inner : {}, rest, method);
  return new Proxy(owner, {
    get: (target, key): unknown => {
      if (key === name) return value;
      const found: unknown = Reflect.get(target, key);
      // Of a class with private fields: its methods must be called on it.
      return typeof found === "function" ? found.bind(target) : found;
    },
    has: (target, key) => key === name || Reflect.has(target, key),
  });
}

function isOwner(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Which of the cases has most in common with an input; the first of those that have as much. */
function nearestOf(own: readonly string[], cases: readonly ReadonlySet<string>[]): number {
  const common = cases.map((leaves) => own.filter((leaf) => leaves.has(leaf)).length);
  return common.indexOf(Math.max(...common));
}

/** Each value of data with its path, the indexes of lists left out. */
function leavesOf(value: unknown, path = ""): string[] {
  if (isArray(value)) return value.flatMap((item) => leavesOf(item, `${path}[]`));
  if (isPlainObject(value)) return Object.entries(value).flatMap(([name, one]) => leavesOf(one, `${path}.${name}`));
  return [`${path}=${typeof value === "string" ? value : leafText(value)}`];
}

function leafText(value: unknown): string {
  try {
    return stableStringify(value);
  } catch {
    return typeof value;
  }
}
