import { plainCount } from "../../explain/wording.ts";
import { merged } from "./merge-observations.ts";
import type { Observation, SeenCall, SeenTool, Turn } from "./observation.ts";
import { isSameData } from "./same-data.ts";

/** A run of a step, read from a trace. */
export interface ImportedRun {
  readonly trace: string;
  readonly step: string;
  /** Unix time in milliseconds; 0 if unknown. */
  readonly at: number;
  /** Input and output as the trace has them; undefined if neither a span nor a call has them. */
  readonly input: unknown;
  readonly output: unknown;
  /** Input of the first span below, which counts before that of the model if the step's own span has none. */
  readonly inputBelow?: unknown;
  /** Calls in the order in which they began. */
  readonly calls: readonly SeenCall[];
  /** Descriptions of missing parts of the trace. */
  readonly missing: readonly string[];
}

/** Returns the step that an observation is a run of, by its names; undefined if none. */
export type StepOf = (observation: Pick<Observation, "step" | "names">) => string | undefined;

/**
 * Reads the runs of steps from one trace. Each run has an outermost span, and the spans below it are its calls. The
 * next request to the model supplies results that tool spans lack, and calls without a span. `fallback` is the step
 * of a trace that names none. Returns no runs if the trace has no step.
 */
export function runsOfTrace(
  seen: readonly Observation[],
  {
    stepOf,
    fallback,
    isCut,
  }: { readonly stepOf: StepOf; readonly fallback: string | undefined; readonly isCut: boolean },
): readonly ImportedRun[] {
  const all = merged(seen);
  const byId = new Map(all.map((observation) => [observation.id, observation]));
  const named = all.filter((observation) => stepOf(observation) !== undefined);
  const stepsAbove = inherited(all, {
    byId,
    top: () => new Set<string>(),
    below: (parent, steps) => {
      const step = stepOf(parent);
      return step === undefined || steps.has(step) ? steps : new Set([...steps, step]);
    },
  });
  const isWithin = (observation: Observation): boolean =>
    stepsAbove.get(observation)?.has(stepOf(observation) ?? "") === true;
  const roots = named.filter((observation) => !isWithin(observation));
  const cut = isCut ? ["its spans are too far apart in the file"] : [];
  const [root, ...more] = roots;
  const own = root === undefined ? undefined : stepOf(root);
  if (
    root !== undefined &&
    own !== undefined &&
    more.length > 0 &&
    roots.every((observation) => isBareCall(observation) && stepOf(observation) === own)
  )
    return [runOf(bare(root), own, { below: all, cut })];
  if (root !== undefined) {
    const below = belowRoots(roots, all, byId);
    return roots.map((observation) =>
      runOf(observation, stepOf(observation) ?? "", { below: below.get(observation) ?? [], cut }),
    );
  }
  return fallback === undefined ? [] : runOfAll(all, fallback, cut);
}

/** Calls without a parent: only their trace groups them into a run. */
function isBareCall({ parent, call }: Observation): boolean {
  return parent === undefined && (call?.kind === "model" || call?.kind === "adapter");
}

function bare(observation: Observation): Observation {
  return { ...observation, input: undefined, output: undefined, call: undefined };
}

/** Reads a trace that names no step as one run. */
function runOfAll(all: readonly Observation[], step: string, cut: readonly string[]): readonly ImportedRun[] {
  const [first] = all;
  const [top, ...rest] = all.filter(({ parent }) => parent === undefined);
  if (first === undefined) return [];
  if (top !== undefined && rest.length === 0)
    return [runOf(top, step, { below: all.filter((observation) => observation !== top), cut })];
  const isFlat = all.every(isBareCall);
  return [runOf(bare(first), step, { below: all, cut: isFlat ? cut : [...cut, "the root span"] })];
}

function* above(observation: Observation, byId: ReadonlyMap<string, Observation>): Generator<Observation> {
  // A trace is untrusted: its spans may have cycles.
  const passed = new Set([observation.id]);
  for (let id = observation.parent; id !== undefined && !passed.has(id); ) {
    passed.add(id);
    const higher = byId.get(id);
    if (higher === undefined) return;
    yield higher;
    id = higher.parent;
  }
}

/** Values that spans take over from the spans above them. Visits each span once: a chain of spans may be long. */
function inherited<T>(
  all: readonly Observation[],
  {
    byId,
    top,
    below,
  }: {
    readonly byId: ReadonlyMap<string, Observation>;
    readonly top: (observation: Observation) => T;
    readonly below: (parent: Observation, ofParent: T) => T;
  },
): ReadonlyMap<Observation, T> {
  const values = new Map<Observation, T>();
  const parentOf = ({ parent }: Observation): Observation | undefined =>
    parent === undefined ? undefined : byId.get(parent);
  for (const observation of all) {
    // A trace is untrusted: its spans may have cycles.
    const path = new Set<Observation>();
    for (let at: Observation | undefined = observation; at !== undefined && !path.has(at); at = parentOf(at)) {
      if (values.has(at)) break;
      path.add(at);
    }
    for (const each of [...path].toReversed()) {
      const parent = parentOf(each);
      const ofParent = parent === undefined ? undefined : values.get(parent);
      values.set(each, parent === undefined || ofParent === undefined ? top(each) : below(parent, ofParent));
    }
  }
  return values;
}

/** Returns the spans below each root. An orphaned span belongs to the only root, too. */
function belowRoots(
  roots: readonly Observation[],
  all: readonly Observation[],
  byId: ReadonlyMap<string, Observation>,
): ReadonlyMap<Observation, readonly Observation[]> {
  const below = new Map<Observation, Observation[]>(roots.map((root) => [root, []]));
  const rootsAbove = inherited(all, {
    byId,
    top: () => new Set<Observation>(),
    below: (parent, above) => (below.has(parent) ? new Set([...above, parent]) : above),
  });
  const topOf = inherited(all, { byId, top: (observation) => observation, below: (_parent, top) => top });
  const [only] = roots.length === 1 ? roots : [];
  for (const observation of all) {
    const above = rootsAbove.get(observation) ?? [];
    const isBelowOnly = only !== undefined && isWithoutTop(topOf.get(observation) ?? observation, only, byId);
    for (const root of isBelowOnly ? new Set([...above, only]) : above)
      if (root !== observation) below.get(root)?.push(observation);
  }
  return below;
}

/** Log records have no parent, and neither have direct children of a Langfuse trace. */
function isWithoutTop({ parent }: Observation, root: Observation, byId: ReadonlyMap<string, Observation>): boolean {
  return parent === undefined ? root.parent === undefined : !byId.has(parent) && root.parent !== parent;
}

function runOf(
  root: Observation,
  step: string,
  { below, cut }: { readonly below: readonly Observation[]; readonly cut: readonly string[] },
): ImportedRun {
  const observed = root.call === undefined ? below : [root, ...below.filter(({ id }) => id !== root.id)];
  const calls = withResults(distinctCalls(observed));
  const models = calls.filter((call) => call.kind === "model");
  const last = calls.findLast((call) => call.kind === "model");
  return {
    trace: root.trace,
    step,
    at: root.start,
    input: root.input ?? questionOf(models[0]?.turns ?? []),
    inputBelow: root.input === undefined ? inputBelow(root, below) : undefined,
    output:
      root.output ?? (last?.answer === undefined || last.answer.toolCalls.length > 0 ? undefined : last.answer.text),
    calls,
    missing: [...cut, ...missingIn(calls)],
  };
}

/** Returns the input of the first span below a root that isn't a call: that of a chain or a graph. */
function inputBelow(root: Observation, below: readonly Observation[]): unknown {
  return below.find(({ parent, call }) => parent === root.id && call === undefined)?.input;
}

/** Returns the conversation that a run began with, without the step's own system messages. */
function questionOf(turns: readonly Turn[]): unknown {
  const conversation = turns.filter(({ role }) => role !== "system").map(({ role, text }) => ({ role, content: text }));
  // Without content, tracers still write the roles.
  return conversation.every(({ content }) => content === "") ? undefined : conversation;
}

/** Returns the calls. If two tracers each wrote a span for a request, the outer one that has the response counts. */
function distinctCalls(observed: readonly Observation[]): readonly SeenCall[] {
  const byId = new Map(observed.map((observation) => [observation.id, observation]));
  const answered = (observation: Observation): boolean =>
    observation.call?.kind === "model" && observation.call.answer !== undefined;
  const [holders, visited] = [new Set<Observation>(), new Set<Observation>()];
  for (const observation of observed.filter(answered)) {
    for (const higher of above(observation, byId)) {
      if (visited.has(higher)) break;
      visited.add(higher);
      if (higher.call?.kind === "model") holders.add(higher);
    }
  }
  const isBelowAnswer = inherited(observed, {
    byId,
    top: () => false,
    below: (parent, isBelow) => isBelow || answered(parent),
  });
  return observed
    .filter((observation) => {
      if (observation.call?.kind === "tool") return !hasOuterSpan(observation, byId);
      if (observation.call?.kind !== "model") return observation.call !== undefined;
      if (isBelowAnswer.get(observation) === true) return false;
      return answered(observation) || !holders.has(observation);
    })
    .flatMap(({ call }) => call ?? []);
}

/** Spans between two of one call of a tool, at most. */
const MAX_BETWEEN = 100;

/** True if a tracer wrote two spans, one in the other, for the call of a tool. */
function hasOuterSpan(observation: Observation, byId: ReadonlyMap<string, Observation>): boolean {
  const { call } = observation;
  let steps = 0;
  for (const { call: outer } of above(observation, byId)) {
    if ((steps += 1) > MAX_BETWEEN) return false;
    if (
      call?.kind === "tool" &&
      outer?.kind === "tool" &&
      outer.name === call.name &&
      outer.result !== undefined &&
      (outer.callId === undefined || call.callId === undefined || outer.callId === call.callId)
    )
      return true;
  }
  return false;
}

/** Adds results that later requests contain. */
function withResults(calls: readonly SeenCall[]): readonly SeenCall[] {
  const results = new Map(
    calls
      .flatMap((call) => (call.kind === "model" ? call.turns : []))
      .flatMap(({ results }) => results)
      // Without ids, a result can't be matched to its call.
      .flatMap(({ id, value }) => (id === "" ? [] : [[id, value] as const])),
  );
  const spans = new Set(
    calls.flatMap((call) => (call.kind === "tool" && call.callId !== undefined ? [call.callId] : [])),
  );
  const toolCalls = calls.flatMap((call) => (call.kind === "model" ? (call.answer?.toolCalls ?? []) : []));
  return calls.flatMap((call): readonly SeenCall[] => {
    if (call.kind === "tool") return [withResult(call, { results, toolCalls })];
    if (call.kind !== "model") return [call];
    const own = (call.answer?.toolCalls ?? []).filter(
      ({ id, name }) => !spans.has(id) && results.has(id) && !isSeen(name, calls, results),
    );
    return [
      call,
      ...own.map(({ id, name, args }) => ({
        kind: "tool" as const,
        name,
        callId: id,
        args,
        result: { value: results.get(id) },
      })),
    ];
  });
}

/** True if spans of a tool have no ids: calls can't be matched to them then, so none are added. */
function isSeen(name: string, calls: readonly SeenCall[], results: ReadonlyMap<string, unknown>): boolean {
  return calls.some(
    (call) => call.kind === "tool" && call.name === name && (call.callId === undefined || !results.has(call.callId)),
  );
}

function withResult(
  call: SeenTool,
  {
    results,
    toolCalls,
  }: {
    readonly results: ReadonlyMap<string, unknown>;
    readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  },
): SeenTool {
  const same = toolCalls.filter(({ name, args }) => name === call.name && isSameData(args, call.args));
  const question = toolCalls.find(({ id }) => id === call.callId) ?? (same.length === 1 ? same[0] : undefined);
  const args = call.args ?? question?.args;
  const id = call.callId ?? question?.id;
  const name = call.name === "" ? (question?.name ?? "") : call.name;
  if (call.result !== undefined || call.error !== undefined || id === undefined || !results.has(id))
    return { ...call, name, args };
  return { ...call, name, args, result: { value: results.get(id) } };
}

function missingIn(calls: readonly SeenCall[]): readonly string[] {
  const models = calls.filter((call) => call.kind === "model");
  const unanswered = models.filter(({ answer, error }) => answer === undefined && error === undefined).length;
  const tools = calls.flatMap((call) =>
    call.kind === "tool" && call.result === undefined && call.error === undefined ? [call.name] : [],
  );
  const silent = calls.flatMap((call) =>
    call.kind === "adapter" && call.response === undefined && call.error === undefined ? [call.adapter] : [],
  );
  // One response may be several turns: in some notations each tool call is a turn.
  const spoken = (turns: readonly Turn[]): number =>
    turns.filter(({ role }, at) => role === "assistant" && turns[at - 1]?.role !== "assistant").length;
  const [first, last] = [models[0], models.at(-1)];
  const answered = models.slice(0, -1).filter(({ error }) => error === undefined).length;
  const unseen = first === undefined || last === undefined ? 0 : spoken(last.turns) - spoken(first.turns) - answered;
  const seen = calls.filter((call) => call.kind === "tool").map(({ name }) => name);
  // Results without an id can't be matched to calls, but they're compared with those of the current step.
  const hasResults = models.some(({ turns }) => turns.some(({ results }) => results.some(({ id }) => id === "")));
  const dropped = (hasResults ? [] : models.slice(0, -1))
    .flatMap(({ answer }) => answer?.toolCalls ?? [])
    .filter(({ name }) => !seen.includes(name));
  // A run begins with a user's message; a tool's result comes in the middle of one.
  const isPartial = first?.turns.at(-1)?.role === "tool";
  return [
    ...(isPartial ? ["the model's responses before the first request in the trace"] : []),
    ...(unanswered === 0
      ? []
      : [`the model's ${unanswered === 1 ? "response" : "responses"} to ${plainCount(unanswered, "request")}`]),
    ...[...new Set(tools)].map((name) => `the result of tool ${name}`),
    ...[...new Set(silent)].map((name) => `the response of ${name}`),
    ...(unseen > 0 ? [`${plainCount(unseen, "answer")} of the model that later requests contain`] : []),
    ...[...new Set(dropped.map(({ name }) => name))].map((name) => `the call of tool ${name}`),
  ];
}
