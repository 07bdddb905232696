import { isArray } from "../../kernel/json/plain-data.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { withInjectedEnd } from "../../record/replay/injected-end.ts";
import type { ResponseContent } from "./response-content.ts";
import type { ErrorOf, Provider } from "./fault-errors.ts";
import { type OutputFault, textOf } from "./output-faults.ts";
import { type Rewrite, rewritten, serviceShape } from "./fault-shapes.ts";

/** Where clients put what they made of a text by a schema: `chat.completions.parse()`, `messages.parse()`. */
const PARSED: readonly string[] = ["parsed", "output_parsed", "parsed_output"];

/** Tells whether a client made data of an answer's text. */
export function isParsed({ values }: ResponseContent): boolean {
  let found = false;
  rewritten(values, (fields) => {
    found ||= PARSED.some((name) => fields[name] !== undefined && fields[name] !== null);
    return fields;
  });
  return found;
}

/**
 * What a client does that makes data of the text, where that is another now: it throws, or makes none. Undefined where
 * only the schema could tell, which no recording has.
 */
export function reparsedCall(
  call: AdapterCall,
  { carried, changed }: { readonly carried: ResponseContent; readonly changed: readonly unknown[] },
  { said, provider, errorOf }: { readonly said: OutputFault; readonly provider: Provider; readonly errorOf: ErrorOf },
): AdapterCall | undefined {
  const shape = serviceShape(changed);
  if (said.data !== undefined || shape === undefined) return undefined;
  const isChat = shape === serviceShape([{ choices: [] }]);
  if (isChat && said.ends === "cut") return withInjectedEnd(call, { kind: "throws", error: () => errorOf("length") });
  const isWhole = said.ends === undefined || (said.ends === "cut" && provider === "anthropic");
  if (!isWhole && !(isChat && said.ends === "empty")) {
    const none: Rewrite = (fields) =>
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, PARSED.includes(name) ? null : value]));
    const unparsed = rewritten(changed, none);
    return carried.with(isArray(unparsed) ? unparsed : changed);
  }
  const problem = problemOf(textOf(changed, shape).was ?? "");
  if (problem === undefined) return undefined;
  const own = "Failed to parse structured output";
  const says = `${own}: AnthropicError: ${own} as JSON: ${problem.message}`;
  const error = (): unknown =>
    provider === "anthropic"
      ? errorOf({ says })
      : new SyntaxError("Error reading response: invalid structured output JSON.");
  return withInjectedEnd(call, { kind: "throws", error });
}

/** Why a text is no JSON. */
function problemOf(text: string): Error | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown : undefined;
  }
}
