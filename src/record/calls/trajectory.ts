import type { CallRole, RoleRules } from "../../kernel/call-role.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { type AdapterCall, argumentsOf, isMethodCall, parseAdapterCall } from "../adapter-call.ts";
import { decode } from "../encode/decode.ts";
import { withSharedDetails } from "../instance-details.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import { callPath, createRoleResolver } from "./infer-role.ts";

/** One call of a trajectory, for reading and matching. */
export interface TrajectoryCall {
  /** Path of the adapter: `tools.lookup`. */
  readonly call: string;
  readonly role: CallRole;
  /** Argument of the call, or the list of arguments if there are several. */
  readonly request: unknown;
  /** False if it threw or was rejected. */
  readonly ok: boolean;
}

/**
 * The recorded calls of a step, in order: the `calls` of a recording, or a result's artifacts of kind `adapter-call`.
 * Undefined if no calls were recorded; reads of properties are left out.
 */
export function trajectoryOf(
  recorded: { readonly calls?: readonly AdapterCall[]; readonly artifacts?: readonly Artifact[] },
  roles: RoleRules = {},
): readonly TrajectoryCall[] | undefined {
  const calls = callsOfRecording(recorded);
  if (calls === undefined) return undefined;
  const roleOf = createRoleResolver(roles);
  return calls.filter(isMethodCall).map((made) => ({
    call: callPath(made.adapter),
    role: roleOf(made),
    request: shownArguments(made.request),
    ok: !Object.hasOwn(made, "error"),
  }));
}

/** The recorded calls; a recorded result has them as artifacts, and an unrecorded one has none. */
export function callsOfRecording({
  calls: ownCalls,
  artifacts = [],
}: {
  readonly calls?: readonly AdapterCall[];
  readonly artifacts?: readonly Artifact[];
}): readonly AdapterCall[] | undefined {
  if (ownCalls !== undefined) return ownCalls;
  const kept = artifacts.filter(({ kind }) => kind === "adapter-call");
  const calls = kept.flatMap(({ content }) => {
    const call = parseAdapterCall(content);
    return typeof call === "string" ? [] : [call];
  });
  return kept.length === 0 || calls.length < kept.length ? undefined : calls;
}

function shownArguments(request: unknown): unknown {
  return argumentsOf(decode(withSharedDetails(request)));
}

/** A call of a reference trajectory: its path, a pattern or a RegExp of it, and its request if that counts. */
export interface ExpectedCall {
  readonly call: string | RegExp;
  readonly request?: unknown;
}

/** Ways to compare a trajectory with its reference, with the names of LangChain's agentevals. */
export const TRAJECTORY_MATCHES = ["strict", "unordered", "subset", "superset"] as const;
export type TrajectoryMatch = (typeof TRAJECTORY_MATCHES)[number];

/** Ways of comparing a request with the expected one: equal, at least the expected fields, or no comparison. */
export const REQUEST_MATCHES = ["equal", "subset", "any"] as const;
export type RequestMatch = (typeof REQUEST_MATCHES)[number];

/** A row of two trajectories side by side: a pair of matching calls, or a call without a match. */
export interface AlignedCalls {
  readonly expected?: ExpectedCall;
  readonly actual?: TrajectoryCall;
}

/** Returns true if an actual call matches an expected one. */
export type CallFits = (wanted: ExpectedCall, actual: TrajectoryCall) => boolean;

/** Comparison of a value with expected parts. */
interface PartComparison {
  readonly equals: (actual: unknown, wanted: unknown) => boolean;
  /**
   * True to look for the elements of a list at any later index, for a list in a value that is none, and for a value in
   * each element of a list or Set.
   */
  readonly isLoose: boolean;
  /** Returns true if two values that differ may be the same one, such as a hidden secret. Default: false. */
  readonly mayBeEqual?: (actual: unknown, wanted: unknown) => boolean;
}

/**
 * Returns true if a value has at least the expected parts: fields of objects, values of Maps by key, elements of Sets,
 * and elements of lists by index.
 */
export function containsPart(actual: unknown, wanted: unknown, how: PartComparison): boolean {
  if (how.mayBeEqual?.(actual, wanted) === true) return true;
  if (isPlainObject(wanted) && "asymmetricMatch" in wanted) return how.equals(actual, wanted);
  if (isPlainObject(wanted) && isPlainObject(actual))
    return Object.entries(wanted).every(
      ([key, value]) => (value === undefined || Object.hasOwn(actual, key)) && containsPart(actual[key], value, how),
    );
  const entries = entriesOf(wanted, how);
  if (entries !== undefined && actual instanceof Map)
    return entries.every(([key, value]) =>
      [...actual].some(([name, inner]) => how.equals(name, key) && containsPart(inner, value, how)),
    );
  const elements = actual instanceof Set ? [...actual] : actual;
  if (wanted instanceof Set && isArray(elements))
    return [...wanted].every((item) => elements.some((element) => containsPart(element, item, how)));
  if (isArray(wanted) && how.isLoose) return containsElements(isArray(elements) ? elements : [elements], wanted, how);
  if (isArray(wanted) && isArray(actual)) return wanted.every((item, index) => containsPart(actual[index], item, how));
  if (how.equals(actual, wanted)) return true;
  return how.isLoose && isArray(elements) && elements.some((element) => containsPart(element, wanted, how));
}

function entriesOf(wanted: unknown, { isLoose }: PartComparison): readonly (readonly [unknown, unknown])[] | undefined {
  if (wanted instanceof Map) return [...wanted];
  return isLoose && isPlainObject(wanted) ? Object.entries(wanted) : undefined;
}

/** Returns true if a list has the expected elements in their order, with any others between them. */
function containsElements(actual: readonly unknown[], wanted: readonly unknown[], how: PartComparison): boolean {
  let next = 0;
  return wanted.every((item) => {
    next = 1 + actual.findIndex((element, index) => index >= next && containsPart(element, item, how));
    return next > 0;
  });
}

/** Puts two trajectories side by side, in order: as many calls as can stand for each other do. */
export function alignCalls(
  wanted: readonly ExpectedCall[],
  actual: readonly TrajectoryCall[],
  fits: CallFits,
): readonly AlignedCalls[] {
  const rows: AlignedCalls[] = [];
  const table = commonLengths(wanted, actual, fits);
  let [left, right] = [0, 0];
  while (left < wanted.length || right < actual.length) {
    const [want, is] = [wanted[left], actual[right]];
    if (want !== undefined && is !== undefined && fits(want, is)) {
      rows.push({ expected: want, actual: is });
      left += 1;
      right += 1;
    } else if (
      is === undefined ||
      (want !== undefined && lengthAt(table, left + 1, right) >= lengthAt(table, left, right + 1))
    ) {
      if (want !== undefined) rows.push({ expected: want });
      left += 1;
    } else {
      rows.push({ actual: is });
      right += 1;
    }
  }
  return rows;
}

/** Lengths of the longest matching rests from each pair of indexes, row by row from the end. */
function commonLengths(
  wanted: readonly ExpectedCall[],
  actual: readonly TrajectoryCall[],
  fits: CallFits,
): readonly (readonly number[])[] {
  const table: number[][] = [Array.from({ length: actual.length + 1 }, () => 0)];
  for (const want of wanted.toReversed()) {
    const below = table.at(-1) ?? [];
    const row: number[] = Array.from({ length: actual.length + 1 }, () => 0);
    for (let index = actual.length - 1; index >= 0; index -= 1) {
      const is = actual[index];
      const fitting = is !== undefined && fits(want, is);
      row[index] = fitting ? (below[index + 1] ?? 0) + 1 : Math.max(below[index] ?? 0, row[index + 1] ?? 0);
    }
    table.push(row);
  }
  return table.toReversed();
}

function lengthAt(table: readonly (readonly number[])[], left: number, right: number): number {
  return table[left]?.[right] ?? 0;
}
