import { decode } from "../encode/decode.ts";
import type { CallLog } from "../proxy/call-log.ts";
import { recordCall } from "../proxy/record-answer.ts";
import { serveRequest } from "../replay/serve-call.ts";
import {
  type EffectCall,
  type TapeHandlers,
  type ToolUse,
  handlersHere,
  inAdapter,
  performCall,
} from "./recording-scope.ts";
import type { Tape, TapeAnswers } from "./tapes.ts";

/** The tape of tools: each call is recorded and served as `tools.<name>`, and what their service says of itself. */
export const toolTape: Tape = {
  record: ({ log }) => ({ handlers: { tools: recording(log), facts: recordingFacts(log) } }),
  serve: (answers) => ({ handlers: { tools: serving(answers), facts: servingFacts(answers) } }),
};

type Facts = NonNullable<TapeHandlers["facts"]>;

function recordingFacts(log: CallLog): Facts {
  const outer = handlersHere().facts;
  return async (adapter, ask) => {
    const value = await (outer === undefined ? inAdapter(ask) : outer(adapter, ask));
    log.read({ adapter, request: [], outcome: { value } });
    return value;
  };
}

function servingFacts({ index }: TapeAnswers): Facts {
  return async (adapter, ask) => {
    const read = index.read(adapter, []);
    return read === undefined ? ask() : decode(read.response);
  };
}

function recording(log: CallLog): (use: ToolUse) => unknown {
  const outer = handlersHere().tools;
  return (use) => {
    const { facts, args } = use;
    const run = outer === undefined ? use.run : (): unknown => outer(use);
    return recordTool(log, { adapter: `tools.${facts.name}`, args, facts }, run);
  };
}

/** Runs a tool, or what answers in its place where it is a write that is held, and records the call. */
export function recordTool(log: CallLog, call: EffectCall, run: () => unknown): unknown {
  const recorder = log.begin(call.adapter, call.args, call.facts?.role);
  // Answers of tools are data for a model: what methods they have is no part of the recording.
  const member = { log, record: (answer: object) => answer };
  return recordCall(() => performCall(call, run), { recorder, member });
}

function serving(answers: TapeAnswers): (use: ToolUse) => unknown {
  return ({ facts, args }) => serveRequest(`tools.${facts.name}`, args, answers);
}
