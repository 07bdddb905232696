import { isArray } from "../../../kernel/json/plain-data.ts";
import type { AdapterCall } from "../../../record/adapter-call.ts";
import { withInjectedEnd } from "../../../record/replay/injected-end.ts";
import type { ResponseContent } from "./response-content.ts";
import type { ErrorOf, Provider } from "./fault-errors.ts";
import { type OutputFault, textOf } from "./output-faults.ts";
import { type Rewrite, rewritten, serviceShape } from "./fault-shapes.ts";

/**
 * Fields in which clients store data parsed from a text by a schema: `chat.completions.parse()`, `messages.parse()`.
 */
const PARSED: readonly string[] = ["parsed", "output_parsed", "parsed_output"];

/** Returns true if a client parsed a response's text. */
export function isParsed({ values }: ResponseContent): boolean {
  let isParsedField = false;
  rewritten(values, (fields) => {
    isParsedField ||= PARSED.some((name) => fields[name] !== undefined && fields[name] !== null);
    return fields;
  });
  return isParsedField;
}

/**
 * Returns the call of a client that parses the text, if the text changed: it throws, or has no parsed data. Undefined
 * if only the schema could decide, which no recording has.
 */
export function reparsedCall(
  call: AdapterCall,
  { carried, changed }: { readonly carried: ResponseContent; readonly changed: readonly unknown[] },
  {
    outputFault: fault,
    provider,
    errorOf,
  }: { readonly outputFault: OutputFault; readonly provider: Provider; readonly errorOf: ErrorOf },
): AdapterCall | undefined {
  const shape = serviceShape(changed);
  if (fault.data !== undefined || shape === undefined) return undefined;
  const isChat = shape === serviceShape([{ choices: [] }]);
  if (isChat && fault.ends === "cut") return withInjectedEnd(call, { kind: "throws", error: () => errorOf("length") });
  const isWhole = fault.ends === undefined || (fault.ends === "cut" && provider === "anthropic");
  if (!isWhole && !(isChat && fault.ends === "empty")) {
    const none: Rewrite = (fields) =>
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, PARSED.includes(name) ? null : value]));
    const unparsed = rewritten(changed, none);
    return carried.with(isArray(unparsed) ? unparsed : changed);
  }
  const problem = problemOf(textOf(changed, shape).was ?? "");
  if (problem === undefined) return undefined;
  const own = "Failed to parse structured output";
  const message = `${own}: AnthropicError: ${own} as JSON: ${problem.message}`;
  const error = (): unknown =>
    provider === "anthropic"
      ? errorOf({ message })
      : new SyntaxError("Error reading response: invalid structured output JSON.");
  return withInjectedEnd(call, { kind: "throws", error });
}

/** Returns the reason why a text isn't JSON. */
function problemOf(text: string): Error | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown : undefined;
  }
}
