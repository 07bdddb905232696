import { decode } from "../encode/decode.ts";
import type { CallLog } from "../proxy/call-log.ts";
import { recordCall } from "../proxy/record-response.ts";
import { replayRequest } from "../replay/replay-call.ts";
import {
  type EffectCall,
  type Interceptors,
  type ToolUse,
  currentInterceptors,
  inAdapter,
  performCall,
} from "./recording-scope.ts";
import type { Recorder, ReplaySource } from "./recorders.ts";

/** The tape of tools: each call is recorded and served as `tools.<name>`, and what their service says of itself. */
export const toolRecorder: Recorder = {
  record: ({ log }) => ({ handlers: { tools: recording(log), facts: recordingFacts(log) } }),
  replay: (answers) => ({ handlers: { tools: serving(answers), facts: servingFacts(answers) } }),
};

type Facts = NonNullable<Interceptors["facts"]>;

function recordingFacts(log: CallLog): Facts {
  const outer = currentInterceptors().facts;
  return async (adapter, ask) => {
    const value = await (outer === undefined ? inAdapter(ask) : outer(adapter, ask));
    log.read({ adapter, request: [], outcome: { value } });
    return value;
  };
}

function servingFacts({ index }: ReplaySource): Facts {
  return async (adapter, ask) => {
    const read = index.read(adapter, []);
    return read === undefined ? ask() : decode(read.response);
  };
}

function recording(log: CallLog): (use: ToolUse) => unknown {
  const outer = currentInterceptors().tools;
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

function serving(answers: ReplaySource): (use: ToolUse) => unknown {
  return ({ facts, args }) => replayRequest(`tools.${facts.name}`, args, answers);
}
