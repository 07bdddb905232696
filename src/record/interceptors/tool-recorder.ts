import { decode } from "../encode/decode.ts";
import { encode } from "../encode/encode.ts";
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

/** Recorder of tools: records and replays each call as `tools.<name>`, and the facts from their service. */
export const toolRecorder: Recorder = {
  record: ({ log }) => ({ handlers: { tools: recording(log), facts: recordingFacts(log) } }),
  replay: (source) => ({ handlers: { tools: replayTools(source), facts: replayFacts(source) } }),
};

type Facts = NonNullable<Interceptors["facts"]>;

function recordingFacts(log: CallLog): Facts {
  const outer = currentInterceptors().facts;
  return async (adapter, callService, isCompared) => {
    const value = await (outer === undefined ? inAdapter(callService) : outer(adapter, callService, isCompared));
    log.read({ adapter, request: [], outcome: { value } });
    return value;
  };
}

function replayFacts({ index, rules }: ReplaySource): Facts {
  return async (adapter, callService, isCompared) => {
    const read = index.read(adapter, []);
    if (read === undefined) return callService();
    if (isCompared === true) {
      const current = encode(await inAdapter(callService), { opaque: "omit" });
      index.replaceRead(read, rules.response(adapter, current));
    }
    return decode(read.response);
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

/** Runs a tool, or its replacement if it is a skipped write, and records the call. */
export function recordTool(log: CallLog, call: EffectCall, run: () => unknown): unknown {
  const recorder = log.begin(call.adapter, call.args, call.facts?.role);
  // Outputs of tools are data for a model: their methods are not part of the recording.
  const member = { log, record: (response: object) => response };
  return recordCall(() => performCall(call, run), { recorder, member });
}

function replayTools(source: ReplaySource): (use: ToolUse) => unknown {
  return ({ facts, args }) => replayRequest(`tools.${facts.name}`, args, source);
}
