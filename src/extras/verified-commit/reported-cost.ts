import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";

/** Cost of a run's command as the command reports it: veritest doesn't see the requests of another program. */
export interface ReportedCost {
  /** US dollars; undefined if the command reports none. */
  readonly usd: number | undefined;
  /** Tokens of all requests, those from a provider's cache included; undefined if the command reports none. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** The longest line that is kept until it ends, in characters. */
const MAX_LINE = 4_000_000;

/** Fields of a `usage` that count input tokens that `input_tokens` leaves out (Claude Code's form). */
const CACHED_INPUT = ["cache_creation_input_tokens", "cache_read_input_tokens"] as const;

/**
 * Reads the cost from a program's output: lines of JSON as coding agents print them, `{"type":"result"}` of Claude Code
 * (`--output-format json` or `stream-json`) and `{"type":"turn.completed"}` of Codex (`exec --json`). Several results
 * are added up. All other output is ignored.
 */
export function costReader(): { add(text: string): void; cost(): ReportedCost | undefined } {
  let rest = "";
  const costs: ReportedCost[] = [];
  const readLine = (line: string): void => {
    const cost = costOfLine(line);
    if (cost !== undefined) costs.push(cost);
  };
  return {
    add(text) {
      const lines = (rest + text).split("\n");
      const last = lines.pop() ?? "";
      rest = last.length > MAX_LINE ? "" : last;
      for (const line of lines) readLine(line);
    },
    cost() {
      readLine(rest);
      rest = "";
      if (costs.length === 0) return undefined;
      return {
        usd: sum(costs.map(({ usd }) => usd)),
        inputTokens: sum(costs.map(({ inputTokens }) => inputTokens)),
        outputTokens: sum(costs.map(({ outputTokens }) => outputTokens)),
      };
    },
  };
}

function costOfLine(line: string): ReportedCost | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  const value = parsedJson(line);
  if (!isPlainObject(value) || (value["type"] !== "result" && value["type"] !== "turn.completed")) return undefined;
  const usage = isPlainObject(value["usage"]) ? value["usage"] : {};
  const cost = {
    usd: amount(value["total_cost_usd"]),
    inputTokens: sum([usage["input_tokens"], ...CACHED_INPUT.map((name) => usage[name])].map(amount)),
    outputTokens: amount(usage["output_tokens"]),
  };
  return Object.values(cost).every((part) => part === undefined) ? undefined : cost;
}

/** A count or a price. Output isn't trusted: everything else counts as not reported. */
function amount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function sum(amounts: readonly (number | undefined)[]): number | undefined {
  const known = amounts.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}
