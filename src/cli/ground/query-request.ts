import { type Result, err, ok } from "../../base/result.ts";
import type { GroundingConfig } from "../../grounding/grounding-config.ts";
import { type GroundSettings, type LlmSettings, setSetting } from "../../grounding/state/ground-settings.ts";
import { cliPlaces } from "../cli-places.ts";
import type { CommandInput } from "../command-input.ts";
import type { CliIo } from "../io.ts";
import { readSettings } from "./ground-library.ts";

/** A question as the command line asks it: the stored settings, with what the options say instead. */
export interface QueryRequest {
  readonly question: string;
  readonly config: Partial<GroundingConfig>;
  readonly llm: LlmSettings;
  /** The least score that makes the exit code 0; undefined where any does. */
  readonly threshold: number | undefined;
  readonly extract: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly log: boolean;
}

/** Options that stand for a setting. */
const AS_SETTING = [
  ["maxHops", "maxHops"],
  ["provider", "provider"],
  ["model", "model"],
  ["baseUrl", "baseUrl"],
] as const;

/** Reads the options of a query; what makes no sense is told in words. */
export function queryRequest(input: CommandInput, io: CliIo): Result<QueryRequest, string> {
  const [, question, ...rest] = input.operands;
  if (question === undefined || rest.length > 0)
    return err('A question is one operand, in quotes: veritest ground query "When was it opened?"');
  const threshold = input.text("threshold");
  if (threshold !== undefined && !/^(?:0|1|0?\.\d{1,6}|1\.0+)$/.test(threshold))
    return err(`--threshold is a number from 0 to 1, not "${threshold}".`);
  const settings = withOptions(readSettings(cliPlaces(io)), input);
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
  for (const [option, name] of AS_SETTING) {
    const value = input.text(option);
    if (settings.ok && value !== undefined) settings = setSetting(settings.value, name, value);
  }
  return settings;
}
