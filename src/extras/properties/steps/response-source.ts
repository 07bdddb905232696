import * as fc from "fast-check";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { isArray, isPlainObject, memberOf, isObject } from "../../../kernel/json/plain-data.ts";
import type { StepBaseline } from "../../../baseline/baseline.ts";
import { CallReplayer } from "../../../record/replay/replay-adapters.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import type { Schema } from "../../../kernel/step/schema.ts";
import { arbitraryOf } from "../generate/arbitrary-of.ts";
import { schemaNode } from "../generate/schema-node.ts";
import type { TrialResponses } from "./trial.ts";

/** Responses generated for one run, by the dot path of each method. */
export type GeneratedResponses = Readonly<Record<string, readonly unknown[]>>;

/** Source of the responses of generated runs. */
export interface GeneratedResponseSource {
  /** Generates the responses of the replaced methods. */
  readonly generated: fc.Arbitrary<GeneratedResponses>;
  /** Makes what answers one run on an input. */
  readonly open: (input: unknown, generated: GeneratedResponses) => TrialResponses;
}

/** Parts of a stored case that have its responses. */
export type RespondingCase = Pick<StepBaseline, "input" | "calls">;

/**
 * Makes the source of responses: methods in `answers` use generated ones, all others the given adapters. If none are
 * given, the stored case with the nearest input responds, in the order in which it was recorded.
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
/** Number of responses of a method that are generated for a run: a call after the last gets the first again. */
const LIST = { minLength: 1, maxLength: 4 } as const;

/** An arbitrary as it is given, or that of a schema. Throws a TypeError for anything else. */
export function arbitraryFrom(option: unknown, where: string): fc.Arbitrary<unknown> {
  if (isArbitrary(option)) return option;
  if (isSchema(option)) return arbitraryOf(option);
  throw new TypeError(`toSatisfyProperties: ${where} is neither a schema nor a fast-check arbitrary.`);
}

/** Returns true for a fast-check arbitrary, also of a different copy of fast-check. */
function isArbitrary(value: unknown): value is fc.Arbitrary<unknown> {
  return typeof memberOf(value, "generate") === "function" && typeof memberOf(value, "shrink") === "function";
}

function isSchema(value: unknown): value is Schema {
  return schemaNode(value) !== undefined;
}

function scripted({ calls }: RespondingCase): TrialResponses {
  const server = new CallReplayer(calls, undefined, { isScripted: () => true });
  return {
    adapters: server.adapters,
    runInScope: async (work) => server.runInScope(work),
    unrecorded: () => server.unrecorded(),
  };
}

/** Returns adapters with some of their methods replaced. */
function withAnswers(adapters: BaseAdapters, generated: GeneratedResponses): BaseAdapters {
  return Object.entries(generated).reduce(
    (all, [path, answers]) => withMethod(all, path.split("."), answering(answers)),
    adapters,
  );
}

/** Number of calls of a method that one run may make before it gets no further responses. */
const MAX_CALLS = 1000;

/**
 * Returns a method that responds with a promise, as a service does. A step that calls without end gets no response in
 * the end: if all promises were resolved, the timer that stops it would never run.
 */
function answering(answers: readonly unknown[]): () => Promise<unknown> {
  let calls = 0;
  return async () => {
    const answer = answers[calls % answers.length];
    calls += 1;
    return calls > MAX_CALLS ? new Promise(() => undefined) : answer;
  };
}

/**
 * Returns an owner with one method replaced. The test's own object isn't changed: other members are looked up there.
 */
function withMethod(owner: object, [name = "", ...rest]: readonly string[], method: () => Promise<unknown>): object {
  const inner: unknown = Reflect.get(owner, name);
  const value =
    rest.length === 0 ? method : withMethod(isObject(inner) || typeof inner === "function" ? inner : {}, rest, method);
  return new Proxy(owner, {
    get: (target, key): unknown => {
      if (key === name) return value;
      const member: unknown = Reflect.get(target, key);
      // For a class with private fields its methods must be called on it.
      return typeof member === "function" ? member.bind(target) : member;
    },
    has: (target, key) => key === name || Reflect.has(target, key),
  });
}

/** Returns the index of the case that has most in common with an input; the first of equal ones. */
function nearestOf(own: readonly string[], cases: readonly ReadonlySet<string>[]): number {
  const common = cases.map((leaves) => own.filter((leaf) => leaves.has(leaf)).length);
  return common.indexOf(Math.max(...common));
}

/** Each value of data with its path, the indexes of lists left out. */
function leavesOf(value: unknown, path = ""): string[] {
  if (isArray(value)) return value.flatMap((item) => leavesOf(item, `${path}[]`));
  if (isPlainObject(value))
    return Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}.${name}`));
  return [`${path}=${typeof value === "string" ? value : leafText(value)}`];
}

function leafText(value: unknown): string {
  try {
    return stableStringify(value);
  } catch {
    return typeof value;
  }
}
