import { types } from "node:util";
import {
  type AlignedCalls,
  type CallFits,
  type RequestMatch,
  type TrajectoryCall,
  type TrajectoryMatch,
  type ExpectedCall,
  REQUEST_MATCHES,
  TRAJECTORY_MATCHES,
  alignCalls,
  trajectoryOf,
} from "../record/calls/trajectory.ts";
import type { RoleRules } from "../kernel/call-role.ts";
import { refuseUnknownOptions, refuseUnknownWord } from "../kernel/did-you-mean.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { fitToCells } from "../kernel/terminal-cells.ts";
import { FETCH } from "../record/adapter-call.ts";
import { mayMatchUrl } from "../record/calls/hidden-url.ts";
import { FETCH_PATTERN, rolePattern } from "../record/calls/infer-role.ts";
import { exactPattern } from "../record/model-call.ts";
import { toolFacts } from "../record/interceptors/tool-mark.ts";
import type { MatcherResult, MatcherContext } from "./matcher-context.ts";
import { matchMultiset } from "./match-multiset.ts";
import { type RunnerEquality, type ExpectedName, nameTest, refuseRegExpText, valueTest } from "./expected-values.ts";
import { NO_MATCH, hiddenNote, mayHaveName } from "./hidden-values.ts";
import { refuseOtherFields, withBody } from "./loose-values.ts";
import { type MatcherReturn, type TrajectoryRequest, withRecording, readRecorded } from "./with-recording.ts";
import type { TrajectoryOptions } from "./step-to-record.ts";
import { atMost, shownError, shownValue } from "./matcher-text.ts";

export type { TrajectoryOptions } from "./step-to-record.ts";

/** Options for `toCall`. */
export interface ToCallOptions extends TrajectoryOptions {
  /** Exact number of calls. Default: at least one. */
  readonly times?: number;
}

/** Options for `toFollowTrajectory`. */
export interface FollowOptions extends TrajectoryOptions {
  /**
   * Comparison with the expected calls. `strict` (default): the same calls in the same order. `unordered`: the same
   * calls in any order. `subset`: only expected calls. `superset`: all expected calls, and others.
   */
  readonly match?: TrajectoryMatch;
  /**
   * Comparison of requests. `equal`: all fields. `subset`: only the expected fields. `any`: ignore the request.
   * Default: `equal`, with `.not` `subset`.
   */
  readonly requests?: RequestMatch;
}

/** Expected call in a trajectory: a path, a pattern, a RegExp, or an object with a path and a request. */
export type ReferenceCall = ExpectedName | ExpectedCall;

/** Lines of two trajectories side by side. */
const MAX_ROWS = 36;
/** Columns of the wanted side. */
const MAX_COLUMN = 56;

/**
 * Passes if the step called this adapter or tool, as often as `times` requires. The path can be a pattern as in
 * `roles`, or a RegExp. If you pass a request, the recorded request must equal it. It can contain asymmetric matchers,
 * RegExps and functions. With `.not`, a recorded request that contains yours also matches. If you pass a step, set
 * `input` and await the matcher.
 *
 * @example
 * expect(await withReplay(agent, input, { adapters })).toCall("tools.lookup", { city: "Oslo" });
 * await expect(agent).toCall(refund, expect.anything(), { times: 1, input, adapters });
 */
export function toCall(
  this: MatcherContext,
  received: unknown,
  target: unknown,
  ...[request, options = {}]: readonly [request?: unknown, options?: ToCallOptions]
): MatcherReturn {
  const call = nameOf("toCall", target);
  const wanted: ExpectedCall = request === undefined ? { call } : { call, request };
  checkCallOptions(options);
  const { times } = options;
  const comparison = comparisonOf(this);
  const fits = callFits("toCall", [wanted], comparison);
  const [fitsExactly, mayFit] = [false, true].map((mayMatch) =>
    callFits("toCall", [wanted], { ...comparison, isNot: false, mayMatch }),
  );
  return onTrajectory("toCall", { context: this, received, options }, (calls) => {
    const isForbidden = this.isNot === true;
    const actual = withNamedModels(calls, (made) => fits(wanted, made));
    const countOf = (isMatch: CallFits = fits): number => actual.filter((made) => isMatch(wanted, made)).length;
    // Calls that may match depend on a redacted value, or on how .not reads the request.
    const [least, most] = [countOf(fitsExactly), Math.max(countOf(mayFit), countOf())];
    const isWanted = (from: number, to: number): boolean =>
      to >= (times ?? 1) && (times === undefined || from <= times);
    // Under .not a number that the count can have fails. Otherwise the count must have it.
    const pass = isForbidden ? isWanted(least, most) : isWanted(most, least);
    const often = times === undefined ? "" : ` ${times === 1 ? "once" : `${times} times`}`;
    const message = (): string => {
      const made = actual.map((call) => `  ${fitToCells(wordsOf(call), 2 * MAX_COLUMN)}`);
      const expected = fitToCells(wordsOf(wanted), MAX_COLUMN + 12);
      const range = least === most ? String(least) : `${least} to ${most}`;
      const got = isForbidden ? String(times ?? most) : range;
      const head = `toCall: expected ${pass ? "no call" : "a call"} ${expected}${often}, got ${got}`;
      const note = !pass && least < most ? [NO_MATCH] : hiddenNote(isForbidden && pass, actual);
      return [head, ...(made.length === 0 ? ["  no calls at all"] : atMost(made, MAX_ROWS)), ...note].join("\n");
    };
    return { pass, message };
  });
}

function checkCallOptions(options: unknown): void {
  if (!isPlainObject(options)) throw new TypeError("toCall: the options must be an object, such as { times: 1 }.");
  const times = options["times"];
  if (times !== undefined && !(typeof times === "number" && Number.isInteger(times) && times >= 0))
    throw new TypeError(`toCall: times must be an integer of at least 0, got ${shownValue(times)}.`);
}

/**
 * Passes if the step called these adapters or tools in this order. Other calls can come between them.
 *
 * @example
 * expect(recording).toCallInOrder("tools.lookup", "tools.reserve", "tools.charge");
 */
export function toCallInOrder(this: MatcherContext, received: unknown, ...targets: readonly unknown[]): MatcherReturn {
  const last = targets.at(-1);
  const options: TrajectoryOptions = isPlainObject(last) && toolFacts(last) === undefined ? last : {};
  const wanted = (options === last ? targets.slice(0, -1) : targets).map((target) => ({
    call: nameOf("toCallInOrder", target),
  }));
  const fits = callFits("toCallInOrder", wanted, comparisonOf(this));
  return onTrajectory("toCallInOrder", { context: this, received, options }, (calls) => {
    const actual = withNamedModels(calls, (made) => wanted.some((want) => fits(want, made)));
    const rows = alignCalls(wanted, actual, fits);
    const pass = rows.every((row) => row.expected === undefined || row.actual !== undefined);
    const head = pass ? "the calls are in the order that .not forbids" : "the calls aren't in this order";
    return { pass, message: () => sideBySide(`toCallInOrder: ${head}`, rows, pass) };
  });
}

/**
 * Passes if the calls of a recording match the expected calls. `match: "strict"` (the default) requires the same calls
 * in the same order, `"unordered"` the same calls in any order, `"subset"` no calls other than the expected ones, and
 * `"superset"` at least the expected calls. Model calls are ignored, except those that you name under `.not`.
 *
 * @example
 * expect(recording).toFollowTrajectory(["tools.lookup", { call: "tools.reserve", request: { seats: 2 } }], {
 *   match: "superset",
 *   requests: "subset",
 * });
 */
export function toFollowTrajectory(
  this: MatcherContext,
  received: unknown,
  reference: readonly ReferenceCall[],
  options: FollowOptions = {},
): MatcherReturn {
  if (!isArray(reference)) throw new TypeError("toFollowTrajectory: the reference must be a list of calls.");
  const { match = "strict", requests } = options;
  refuseUnknownWord("toFollowTrajectory: match", match, TRAJECTORY_MATCHES);
  if (requests !== undefined) refuseUnknownWord("toFollowTrajectory: requests", requests, REQUEST_MATCHES);
  const wanted = reference.map((entry): ExpectedCall => {
    if (isName(entry)) return { call: entry };
    refuseUnknownOptions("toFollowTrajectory: a call", entry, ["call", "request"]);
    return entry;
  });
  const fits = callFits("toFollowTrajectory", wanted, comparisonOf(this, requests));
  return onTrajectory("toFollowTrajectory", { context: this, received, options }, (calls) => {
    const tools = withNamedModels(calls, () => false);
    // Under `.not`, a model call that the reference names counts too. Both lists are tried, because `strict` and
    // `unordered` require as many calls as the reference has.
    const isNamed = (made: TrajectoryCall): boolean => wanted.some((want) => fits(want, made));
    const candidates = this.isNot === true ? [tools, withNamedModels(calls, isNamed)] : [tools];
    const followed = candidates.find((actual) => follows({ wanted, actual, match, fits }));
    const pass = followed !== undefined;
    return {
      pass,
      message: () =>
        sideBySide(
          `toFollowTrajectory (${match}): ${pass ? "the step made the calls that .not forbids" : "the calls differ"}`,
          alignCalls(wanted, followed ?? tools, fits),
          pass,
        ),
    };
  });
}

function follows({
  wanted,
  actual: calls,
  match,
  fits,
}: {
  readonly wanted: readonly ExpectedCall[];
  readonly actual: readonly TrajectoryCall[];
  readonly match: TrajectoryMatch;
  readonly fits: CallFits;
}): boolean {
  if (match === "strict") {
    return (
      wanted.length === calls.length &&
      wanted.every((want, index) => {
        const is = calls[index];
        return is !== undefined && fits(want, is);
      })
    );
  }
  const { missing, unexpected } = matchMultiset(wanted, calls, fits);
  switch (match) {
    case "unordered":
      return missing.length + unexpected.length === 0;
    case "subset":
      return unexpected.length === 0;
    case "superset":
      return missing.length === 0;
  }
}

/** Comparison of the calls of one assertion. */
interface CallComparison extends RunnerEquality {
  readonly requests?: RequestMatch | undefined;
}

function comparisonOf({ equals, customTesters, isNot }: MatcherContext, requests?: RequestMatch): CallComparison {
  return { equals, customTesters, isNot, requests };
}

/** Returns the test of each of these calls. Throws a TypeError for a name or a request that can't be matched. */
function callFits(matcher: string, expected: readonly ExpectedCall[], comparison: CallComparison): CallFits {
  const tests = new Map(expected.map((call) => [call, callTest(matcher, call, comparison)]));
  return (wanted, actual) => tests.get(wanted)?.(actual) ?? false;
}

function callTest(
  matcher: string,
  { call, request }: ExpectedCall,
  { requests, ...comparison }: CallComparison,
): (actual: TrajectoryCall) => boolean {
  const isCall = callNameTest(matcher, call, comparison.isNot);
  if (request === undefined || requests === "any") return isCall;
  const isPart = requests === undefined ? comparison.isNot : requests === "subset";
  const hasRequest = valueTest(matcher, request, { ...comparison, isPart });
  // A lone argument is recorded without its list; it can be expected with it.
  const hasArguments = isArray(request) ? (actual: unknown) => hasRequest(actual) || hasRequest([actual]) : hasRequest;
  // A function is written for the complete request.
  const triesEach = comparison.isNot === true && isPart === true && typeof request !== "function";
  const isOne = (argument: unknown): boolean =>
    !(isArray(request) && typeof argument === "string") && hasRequest(argument);
  const hasOne = (actual: unknown): boolean => triesEach && isArray(actual) && actual.some(isOne);
  const fits = (actual: unknown): boolean => hasArguments(actual) || hasOne(actual);
  return (made) => {
    if (!isCall(made)) return false;
    if (comparison.isNot !== true || made.call !== FETCH) return fits(made.request);
    refuseOtherFields(matcher, request, made.request);
    return fits(made.request) || (isPart === true && fits(withBody(made.request)));
  };
}

/** Returns the test of a call's name. A pattern of `fetch` names a method and a URL, as in `roles`. */
function callNameTest(matcher: string, expected: unknown, isNot: boolean = false): (actual: TrajectoryCall) => boolean {
  const isText = typeof expected === "string";
  if (isText && FETCH_PATTERN.test(expected)) return requestTest(expected, isNot);
  if (isText && isNot) return looseNameTest(matcher, expected);
  const hasName = nameTest(matcher, expected, isNot);
  if (isText) return ({ call }) => hasName(call);
  const source = String(expected);
  return ({ call, request }) => {
    const name = exactPattern({ adapter: call, request: [request] }) ?? call;
    return hasName(call) || hasName(name) || (isNot && mayHaveName(name, hasName, source));
  };
}

function requestTest(pattern: string, isNot: boolean): (actual: TrajectoryCall) => boolean {
  const matches = rolePattern(pattern, isNot, isNot ? mayMatchUrl : undefined);
  return ({ call, request }) => matches({ adapter: call, request: [request] });
}

/**
 * Returns the test of a name under `.not`, which can also name a request without its `fetch`: `DELETE *`, `/orders`,
 * `api.shop.test`. A pattern such as `*find*` is of names only.
 */
function looseNameTest(matcher: string, expected: string): (actual: TrajectoryCall) => boolean {
  refuseRegExpText(matcher, expected);
  const request = `fetch ${expected.replace(/^fetch[.:/]+/i, "")}`;
  const isRequest = FETCH_PATTERN.test(request);
  if (/^(?:(?:[A-Z]+|\*)\s|\/)|:\/\//.test(expected) && isRequest) return requestTest(request, true);
  if (NO_REQUEST.test(expected))
    throw new TypeError(
      `${matcher}: for a request, pass its method and URL, such as "fetch POST https://api.shop.test/*".`,
    );
  const hasName = nameTest(matcher, expected, true);
  if (!isRequest || /^[^./:]*\*[^./:]*$/.test(expected)) return ({ call }) => hasName(call);
  const isSent = requestTest(request, true);
  // `users/7` can be a host and a path, or a path alone.
  const isPath = expected.includes("/")
    ? requestTest(`fetch */${expected.replace(/^fetch[.:/]+/i, "")}`, true)
    : isSent;
  return (made) => hasName(made.call) || isSent(made) || isPath(made);
}

/** A request in another form than that of `roles`. */
const NO_REQUEST = /^(?:fetch|get|head|options|post|put|patch|delete)\s|:\/\//i;

/** The frame of these matchers: what was recorded, or a step that is recorded first. */
function onTrajectory(
  matcher: string,
  request: TrajectoryRequest,
  judge: (actual: readonly TrajectoryCall[]) => MatcherResult,
): MatcherReturn {
  return withRecording(matcher, request, (recorded, roles) => judge(readTrajectory(matcher, recorded, roles)));
}

function readTrajectory(matcher: string, received: unknown, roles: RoleRules): readonly TrajectoryCall[] {
  const calls = trajectoryOf(readRecorded(matcher, received), roles);
  if (calls === undefined)
    throw new TypeError(
      `${matcher}: the result has no recorded calls. Record it with await withReplay(step, input, { adapters }).`,
    );
  return calls;
}

/** Leaves out the calls of models, except those that an assertion names. */
function withNamedModels(
  calls: readonly TrajectoryCall[],
  isNamed: (call: TrajectoryCall) => boolean,
): readonly TrajectoryCall[] {
  return calls.filter((call) => call.role !== "model" || isNamed(call));
}

/** Returns true if a call is given by its name alone. */
function isName(target: unknown): target is ExpectedName {
  return typeof target === "string" || types.isRegExp(target);
}

function nameOf(matcher: string, target: unknown): ExpectedName {
  if (isName(target)) return target;
  const facts = typeof target === "function" ? toolFacts(target) : undefined;
  if (facts === undefined)
    throw new TypeError(
      `${matcher}: pass a call's path ("tools.lookup"), a pattern ("tools.*"), a RegExp or the tool.`,
    );
  return facts.name;
}

function wordsOf(made: ExpectedCall | TrajectoryCall): string {
  const request = made.request === undefined && !("ok" in made) ? "…" : shownValue(made.request);
  return `${shownError(String(made.call))}(${request})`;
}

function sideBySide(head: string, rows: readonly AlignedCalls[], isForbidden: boolean): string {
  const cells = rows.map(({ expected, actual }) => ({
    mark: markOf(expected !== undefined, actual !== undefined),
    left: expected === undefined ? "" : fitToCells(wordsOf(expected), MAX_COLUMN),
    right: actual === undefined ? "" : fitToCells(wordsOf(actual), MAX_COLUMN),
  }));
  const width = Math.max("expected".length, ...cells.map(({ left }) => left.length));
  const lines = cells.map(({ mark, left, right }) => `${mark} ${left.padEnd(width)}  ${right}`.trimEnd());
  const note = hiddenNote(
    isForbidden,
    rows.map(({ actual }) => actual),
  );
  return [head, "", `  ${"expected".padEnd(width)}  found`, ...atMost(lines, MAX_ROWS), ...note].join("\n");
}

function markOf(isWanted: boolean, isFound: boolean): string {
  if (isWanted && isFound) return " ";
  return isWanted ? "-" : "+";
}
