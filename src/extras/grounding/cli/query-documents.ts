import { type Result, err, ok } from "../../../kernel/result.ts";
import type { FlowAdapters } from "../flow/flow-options.ts";
import { groundedAnswer } from "../flow/grounded-answer.ts";
import { jsonLog } from "../flow/json-log.ts";
import type { CompleteState, FailedState, AnswerEvent, AnswerState } from "../flow/answer-state.ts";
import type { GroundingConfig } from "../grounding-config.ts";
import { type MemoryIndex, createMemoryIndex } from "../retrieve/memory-index.ts";
import { type GroundSettings, type LlmSettings, setSetting } from "../state/ground-settings.ts";
import { cliPaths } from "../../../cli/terminal/cli-paths.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { printRefusal, printLines, printJson, printWarning, printDiagnostics } from "../../../cli/terminal/print.ts";
import { type AvailableModel, findModel } from "./find-model.ts";
import { readLibrary, readSettings } from "./ground-library.ts";
import { insufficientReason, renderAnswer } from "./render-answer.ts";

/**
 * Implements `veritest ground query "…"`: answers from the ingested documents. Exit code 1 if the score is below
 * `--threshold`.
 */
export async function queryDocuments(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const started = performance.now();
  const request = queryRequest(input, io);
  if (!request.ok) return printRefusal(io, request.error);
  const model = request.value.extract
    ? ok(undefined)
    : await findModel({ ...request.value.llm, environment: io.environment, root: cliPaths(io).root });
  if (!model.ok) return printRefusal(io, model.error);
  const index = await openIndex(io);
  if (!index.ok) return printRefusal(io, index.error);
  const end = await answer(request.value, { model: model.value, index: index.value, io });
  if (!end.ok) return printRefusal(io, end.error);
  const durationMs = performance.now() - started;
  return end.value.phase === "failed"
    ? explain(end.value, request.value, io)
    : print(end.value, { request: request.value, model: model.value, durationMs, io });
}

async function openIndex(io: CliIo): Promise<Result<MemoryIndex, string>> {
  const { documents, problems } = readLibrary(cliPaths(io));
  for (const problem of problems) printWarning(io, problem);
  if (documents.length === 0)
    return err("There are no documents to answer from. Add a document: npx veritest ground ingest <path>");
  const index = await createMemoryIndex(documents.flatMap(({ chunks }) => chunks));
  return index.ok ? index : err(index.error.message);
}

async function answer(
  { question, config, log }: QueryRequest,
  { model, index, io }: { readonly model: AvailableModel | undefined; readonly index: MemoryIndex; readonly io: CliIo },
): Promise<Result<CompleteState | FailedState, string>> {
  const flow = groundedAnswer({
    config,
    answer: model === undefined ? "extract" : "model",
    ...(model === undefined ? {} : { model: model.model }),
  });
  if (!flow.ok) return err(flow.error.message);
  const adapters: FlowAdapters = { index, ...(model === undefined ? {} : { llm: model.llm }) };
  const onEvent = log ? jsonLog((line) => printDiagnostics(io, line)) : printWarnings(io);
  return ok(await flow.value.run({ question }, { adapters, onEvent }));
}

/** Prints warnings, except that no embedder is configured: that's by design here, and the retrieval line shows it. */
function printWarnings(io: CliIo): (event: AnswerEvent, state: AnswerState) => void {
  return (event) => {
    if (event.type === "warning" && !event.warning.startsWith("No embedder")) printWarning(io, event.warning);
  };
}

interface PrintContext {
  readonly request: QueryRequest;
  readonly model: AvailableModel | undefined;
  readonly durationMs: number;
  readonly io: CliIo;
}

function print({ answer }: CompleteState, { request, model, durationMs, io }: PrintContext): ExitCode {
  const { threshold, json, verbose } = request;
  if (json)
    printJson(io, {
      ...answer,
      ...(model === undefined ? {} : { model: model.name }),
      durationMs: Math.round(durationMs),
    });
  else printLines(io, renderAnswer({ answer, model: model?.name, durationMs, verbose }));
  if (threshold === undefined) return EXIT.clean;
  if (answer.insufficient !== undefined)
    return printRefusal(
      io,
      `The answer is ${insufficientReason(answer)}. --threshold requires a sufficient answer. ` +
        "Add a document: npx veritest ground ingest <path>",
      EXIT.regressions,
    );
  const contradicted = answer.claims.flatMap(({ contradictions = [] }) => contradictions);
  if (contradicted.length > 0)
    return printRefusal(io, `The answer contradicts its passages (${contradicted.join("; ")}).`, EXIT.regressions);
  if ((answer.support ?? -1) >= threshold) return EXIT.clean;
  const result = answer.support === null ? "The answer makes no claim" : `The support is ${answer.support}`;
  return printRefusal(io, `${result}; --threshold requires ${threshold}.`, EXIT.regressions);
}

function explain(state: FailedState, { json }: QueryRequest, io: CliIo): ExitCode {
  if (json) printJson(io, state);
  const { kind, cause, message } = state.error;
  // The message addresses the author of an adapter. Here the provider's own message is more useful.
  const reason =
    kind === "provider" && cause !== undefined ? `The model failed: ${cause.replace(/\.?$/, ".")}` : message;
  return printRefusal(io, `${reason} ${suggestionFor(state)}`.trim());
}

/** Question of the command line, with the stored settings and the options that override them. */
interface QueryRequest {
  readonly question: string;
  readonly config: Partial<GroundingConfig>;
  readonly llm: LlmSettings;
  /** Minimum score for exit code 0; undefined if every score passes. */
  readonly threshold: number | undefined;
  readonly extract: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly log: boolean;
}

/** Options that override a setting. */
const OVERRIDES = [
  ["maxHops", "maxHops"],
  ["provider", "provider"],
  ["model", "model"],
  ["baseUrl", "baseUrl"],
] as const;

/** Reads the options of a query, or returns a description of the invalid one. */
function queryRequest(input: CommandInput, io: CliIo): Result<QueryRequest, string> {
  const [question, ...rest] = input.operands;
  if (question === undefined || rest.length > 0)
    return err('Pass the question as one argument, in quotes: npx veritest ground query "When was it opened?"');
  const threshold = input.text("threshold");
  if (threshold !== undefined && !/^(?:0|1|0?\.\d{1,6}|1\.0+)$/.test(threshold))
    return err(`--threshold must be a number from 0 to 1, got "${threshold}".`);
  const settings = withOptions(readSettings(cliPaths(io)), input);
  if (!settings.ok) return settings;
  const flags = {
    extract: input.flag("extract"),
    verbose: input.flag("verbose"),
    json: input.flag("json"),
    log: input.flag("log"),
  };
  return ok({
    question,
    ...settings.value,
    threshold: threshold === undefined ? undefined : Number(threshold),
    ...flags,
  });
}

function withOptions(stored: Result<GroundSettings, string>, input: CommandInput): Result<GroundSettings, string> {
  let settings = stored;
  for (const [option, name] of OVERRIDES) {
    const value = input.text(option);
    if (settings.ok && value !== undefined) settings = setSetting(settings.value, name, value);
  }
  return settings;
}

/** Returns the next step after a failed question, if its message doesn't have one. */
function suggestionFor({ error }: FailedState): string {
  switch (error.kind) {
    case "provider":
      return error.retryable
        ? "Try again, or answer without a model: --extract"
        : "Or answer without a model: --extract";
    case "retrieval":
      return "Ingest the documents again: npx veritest ground ingest <path>";
    case "internal":
      return "Run the command again with --log to see all steps, and report the problem.";
    case "validation":
    case "verification":
      return "";
  }
}
