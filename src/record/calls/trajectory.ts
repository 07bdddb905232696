import type { CallRole, RoleRules } from "../../kernel/call-role.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { type AdapterCall, parseAdapterCall } from "../adapter-call.ts";
import { decode } from "../encode/decode.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import { callPath, createRoleResolver } from "./role.ts";

/** One call of a trajectory, for reading and matching. */
export interface TrajectoryCall {
  /** The adapter's path: `tools.lookup`. */
  readonly call: string;
  readonly role: CallRole;
  /** The arguments; a lone one stands for itself. */
  readonly request: unknown;
  /** False where it threw or was rejected. */
  readonly ok: boolean;
}

/**
 * The calls a step made, in order, read from what was recorded: the `calls` of a recording, or a result's artifacts of
 * kind `adapter-call`. Undefined where nothing was recorded; reads of properties are left out.
 */
export function trajectoryOf(
  recorded: { readonly calls?: readonly AdapterCall[]; readonly artifacts?: readonly Artifact[] },
  roles: RoleRules = {},
): readonly TrajectoryCall[] | undefined {
  const calls = callsOfRecording(recorded);
  if (calls === undefined) return undefined;
  const roleOf = createRoleResolver(roles);
  return calls.flatMap((made) =>
    made.returns === "property"
      ? []
      : [
          {
            call: callPath(made.adapter),
            role: roleOf(made),
            request: shownArguments(made.request),
            ok: !Object.hasOwn(made, "error"),
          },
        ],
  );
}

/** The recorded calls; a result that was recorded holds them as artifacts, and one that was not tells nothing. */
export function callsOfRecording({
  calls: given,
  artifacts = [],
}: {
  readonly calls?: readonly AdapterCall[];
  readonly artifacts?: readonly Artifact[];
}): readonly AdapterCall[] | undefined {
  if (given !== undefined) return given;
  const kept = artifacts.filter(({ kind }) => kind === "adapter-call");
  const calls = kept.flatMap(({ content }) => {
    const call = parseAdapterCall(content);
    return typeof call === "string" ? [] : [call];
  });
  return kept.length === 0 || calls.length < kept.length ? undefined : calls;
}

function shownArguments(request: unknown): unknown {
  const args: unknown = decode(request);
  return isArray(args) && args.length === 1 ? args[0] : args;
}

/** A call of a reference trajectory: its path, a pattern or a RegExp of it, and its request if that counts. */
export interface ExpectedCall {
  readonly call: string | RegExp;
  readonly request?: unknown;
}

/** How a trajectory is held against its reference: the four modes of LangChain's agentevals, by their names. */
export type TrajectoryMode = "strict" | "unordered" | "subset" | "superset";

/** Comparison of a request with an expected one: equal, at least the expected parts, or none. */
export type RequestMode = "equal" | "subset" | "ignore";

/** A row of two trajectories side by side: what stands for what, or what has no counterpart. */
export interface AlignedCalls {
  readonly expected?: ExpectedCall;
  readonly actual?: TrajectoryCall;
}

/** Tells whether a found call is a wanted one. */
export type CallFits = (wanted: ExpectedCall, found: TrajectoryCall) => boolean;

/** Tells whether a value has at least the expected parts: fields of objects, elements of lists by index. */
export function containsPart(
  found: unknown,
  wanted: unknown,
  equals: (found: unknown, wanted: unknown) => boolean,
): boolean {
  if (isPlainObject(wanted) && isPlainObject(found) && !("asymmetricMatch" in wanted))
    return Object.entries(wanted).every(
      ([key, value]) => Object.hasOwn(found, key) && containsPart(found[key], value, equals),
    );
  if (isArray(wanted) && isArray(found)) return wanted.every((item, index) => containsPart(found[index], item, equals));
  return equals(found, wanted);
}

/** Puts two trajectories side by side, in order: as many calls as can stand for each other do. */
export function alignCalls(
  wanted: readonly ExpectedCall[],
  found: readonly TrajectoryCall[],
  fits: CallFits,
): readonly AlignedCalls[] {
  const rows: AlignedCalls[] = [];
  const table = commonLengths(wanted, found, fits);
  let [left, right] = [0, 0];
  while (left < wanted.length || right < found.length) {
    const [want, is] = [wanted[left], found[right]];
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

/** The most calls of the rests from each pair of places that can stand for each other, row by row from the end. */
function commonLengths(
  wanted: readonly ExpectedCall[],
  found: readonly TrajectoryCall[],
  fits: CallFits,
): readonly (readonly number[])[] {
  const table: number[][] = [Array.from({ length: found.length + 1 }, () => 0)];
  for (const want of wanted.toReversed()) {
    const below = table.at(-1) ?? [];
    const row: number[] = Array.from({ length: found.length + 1 }, () => 0);
    for (let index = found.length - 1; index >= 0; index -= 1) {
      const is = found[index];
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
