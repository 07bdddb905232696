import type { Result } from "../../base/result.ts";
import { err, ok } from "../../base/result.ts";
import type { FlowAdapters } from "../../grounding/flow/flow-options.ts";
import { groundedAnswer } from "../../grounding/flow/grounded-answer.ts";
import { jsonLog } from "../../grounding/flow/json-log.ts";
import type { VeraEvent } from "../../grounding/flow/vera-event.ts";
import type { CompleteState, FailedState, VeraState } from "../../grounding/flow/vera-state.ts";
import { type MemoryIndex, createMemoryIndex } from "../../grounding/retrieve/memory-index.ts";
import { cliPlaces } from "../cli-places.ts";
import type { CommandInput } from "../command-input.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { fail, say, sayJson, warn } from "../say.ts";
import { type FoundModel, findModel } from "./find-model.ts";
import { readLibrary } from "./ground-library.ts";
import { type QueryRequest, queryRequest } from "./query-request.ts";
import { renderAnswer } from "./render-answer.ts";
import { suggestionFor } from "./suggestion-for.ts";

/**
 * `veritest ground query "…"`: answers from the ingested documents; exit code 1 where the score is below `--threshold`.
 */
export async function queryDocuments(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const started = performance.now();
  const request = queryRequest(input, io);
  if (!request.ok) return fail(io, request.error);
  const model = request.value.extract
    ? ok(undefined)
    : await findModel({ ...request.value.llm, environment: io.environment, root: cliPlaces(io).root });
  if (!model.ok) return fail(io, model.error);
  const index = await openIndex(io);
  if (!index.ok) return fail(io, index.error);
  const end = await answer(request.value, { model: model.value, index: index.value, io });
  if (!end.ok) return fail(io, end.error);
  const durationMs = performance.now() - started;
  return end.value.phase === "failed"
    ? explain(end.value, request.value, io)
    : print(end.value, { request: request.value, model: model.value, durationMs, io });
}

async function openIndex(io: CliIo): Promise<Result<MemoryIndex, string>> {
  const { documents, problems } = readLibrary(cliPlaces(io));
  for (const problem of problems) warn(io, problem);
  if (documents.length === 0)
    return err("There is no document to answer from. Add one: npx veritest ground ingest <path>");
  const index = await createMemoryIndex(documents.flatMap(({ chunks }) => chunks));
  return index.ok ? index : err(index.error.message);
}

async function answer(
  { question, config, log }: QueryRequest,
  { model, index, io }: { readonly model: FoundModel | undefined; readonly index: MemoryIndex; readonly io: CliIo },
): Promise<Result<CompleteState | FailedState, string>> {
  const flow = groundedAnswer({
    config,
    answer: model === undefined ? "extract" : "model",
    ...(model === undefined ? {} : { model: model.model }),
  });
  if (!flow.ok) return err(flow.error.message);
  const adapters: FlowAdapters = { index, ...(model === undefined ? {} : { llm: model.llm }) };
  const onEvent = log ? jsonLog((line) => io.stderr.write(line)) : sayWarnings(io);
  return ok(await flow.value.run({ question }, { adapters, onEvent }));
}

/** That there are no vectors is so by design here, and the retrieval line says it. */
function sayWarnings(io: CliIo): (event: VeraEvent, state: VeraState) => void {
  return (event) => {
    if (event.type === "warning" && !event.warning.startsWith("No embedder")) warn(io, event.warning);
  };
}

interface Printing {
  readonly request: QueryRequest;
  readonly model: FoundModel | undefined;
  readonly durationMs: number;
  readonly io: CliIo;
}

function print({ answer }: CompleteState, { request, model, durationMs, io }: Printing): ExitCode {
  const { threshold, json, verbose } = request;
  if (json)
    sayJson(io, {
      ...answer,
      ...(model === undefined ? {} : { model: model.name }),
      durationMs: Math.round(durationMs),
    });
  else say(io, renderAnswer({ answer, model: model?.name, durationMs, verbose }));
  if (threshold === undefined || (answer.groundingScore ?? -1) >= threshold) return EXIT.clean;
  const found = answer.groundingScore === null ? "The answer claims nothing" : `The score is ${answer.groundingScore}`;
  return fail(io, `${found}; --threshold asks for ${threshold}.`, EXIT.regressions);
}

function explain(state: FailedState, { json }: QueryRequest, io: CliIo): ExitCode {
  if (json) sayJson(io, state);
  const { kind, cause, message } = state.error;
  // The message speaks to who wrote the adapter, which here is nobody: the provider's own words say more.
  const said = kind === "provider" && cause !== undefined ? `The model failed: ${cause.replace(/\.?$/, ".")}` : message;
  return fail(io, `${said} ${suggestionFor(state)}`.trim());
}
