import type { ModelAnswer, Observation, SeenModel } from "./observation.ts";
import { isSameData } from "./same-data.ts";

/** Merges spans that occur twice, or in parts, and sorts them by start. */
export function merged(seen: readonly Observation[]): readonly Observation[] {
  const byId = new Map<string, Observation>();
  for (const observation of seen) {
    const known = byId.get(observation.id);
    byId.set(observation.id, known === undefined ? observation : joined(known, observation));
  }
  return [...byId.values()].toSorted((a, b) => a.start - b.start);
}

function joined(a: Observation, b: Observation): Observation {
  const call = a.call?.kind === "model" && b.call?.kind === "model" ? joinedModel(a.call, b.call) : (a.call ?? b.call);
  return {
    ...a,
    parent: a.parent ?? b.parent,
    names: a.names.length > 0 ? a.names : b.names,
    step: a.step ?? b.step,
    start: startOf(a, b),
    isLog: a.isLog === true && b.isLog === true,
    input: a.input ?? b.input,
    output: a.output ?? b.output,
    call,
  };
}

/** Returns the start of the span that has both parts. The time of a log record counts only without the span. */
function startOf(a: Observation, b: Observation): number {
  if ((a.isLog === true) === (b.isLog === true)) return earliest(a.start, b.start);
  const [span, log] = a.isLog === true ? [b, a] : [a, b];
  return span.start === 0 ? log.start : span.start;
}

/** Returns the earlier one of two times; 0 is unknown. */
export function earliest(a: number, b: number): number {
  return a === 0 || b === 0 ? a + b : Math.min(a, b);
}

function joinedModel(a: SeenModel, b: SeenModel): SeenModel {
  if ((a.isPart === true || b.isPart === true) && !isSameData(a, b)) return joinedParts(a, b);
  return {
    ...a,
    provider: a.provider ?? b.provider,
    model: a.model ?? b.model,
    turns: a.turns.length > 0 ? a.turns : b.turns,
    request: a.request ?? b.request,
    answer: a.answer ?? b.answer,
    error: a.error ?? b.error,
  };
}

/** Joins a call that a tracer wrote in parts, in their order. */
function joinedParts(a: SeenModel, b: SeenModel): SeenModel {
  const isBoth = a.answer !== undefined && b.answer !== undefined;
  return {
    ...joinedModel({ ...a, isPart: false }, { ...b, isPart: false }),
    isPart: true,
    // Instructions may be in the span, and again in an event.
    turns: [
      ...a.turns.filter((turn) => turn.role !== "system" || !b.turns.some((other) => isSameData(turn, other))),
      ...b.turns,
    ],
    answer: isBoth ? joinedAnswer(a.answer, b.answer) : (a.answer ?? b.answer),
  };
}

function joinedAnswer(a: ModelAnswer, b: ModelAnswer): ModelAnswer {
  return {
    ...b,
    text: a.text + b.text,
    reasoning: a.reasoning + b.reasoning,
    toolCalls: [...a.toolCalls, ...b.toolCalls],
  };
}
