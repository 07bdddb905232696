import { encode } from "../encode/encode.ts";
import type { CallLog } from "../proxy/call-log.ts";
import { recordCall } from "../proxy/record-answer.ts";
import { serveCall } from "../serve/serve-call.ts";
import { type ToolUse, handlersHere, performCall } from "./recording-scope.ts";
import type { Tape, TapeAnswers } from "./tapes.ts";

/** The tape of tools: each call is recorded and served as `tools.<name>`. */
export const toolTape: Tape = {
  record: ({ log }) => ({ handlers: { tools: recording(log) } }),
  serve: (answers) => ({ handlers: { tools: serving(answers) } }),
};

function recording(log: CallLog): (use: ToolUse) => unknown {
  const outer = handlersHere().tools;
  return (use) => {
    const { facts, args } = use;
    const adapter = `tools.${facts.name}`;
    const tape = log.begin(adapter, args, facts.role);
    // Answers of tools are data for a model: what methods they have is no part of the recording.
    const member = { log, record: (answer: object) => answer };
    const run = outer === undefined ? use.run : (): unknown => outer(use);
    return recordCall(() => performCall({ adapter, args, facts }, run), { tape, member });
  };
}

function serving({ index, rules, miss }: TapeAnswers): (use: ToolUse) => unknown {
  return ({ facts, args }) => {
    const adapter = `tools.${facts.name}`;
    const request = rules.request(adapter, encode(args, { opaque: "omit" }));
    const call = index.take(adapter, request);
    if ("reason" in call) throw miss(call);
    const recorded = index.callsOf(adapter).length;
    const exhausted = (limit: number): Error =>
      miss({ adapter, request, reason: "stream_exhausted", nearest: call, recorded, limit });
    return serveCall(call, { exhausted, places: { index, place: () => ({}) } });
  };
}
