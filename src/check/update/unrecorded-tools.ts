/** Result of a tool in a request to a model: of Anthropic, OpenAI's chat, OpenAI's responses. */
const TOOL_RESULT = /"(?:type|role)": ?"(?:tool_result|tool|function_call_output)"/;

/** Name of an adapter in a baseline's text. */
const ADAPTER = /^ {6}"adapter": "(.*)"/gm;

/**
 * Returns true if the text of a baseline has results of tools, but only calls of models: the step ran its tools itself,
 * and runs them again in each replay.
 */
export function hasUnrecordedTools(text: string): boolean {
  if (!TOOL_RESULT.test(text)) return false;
  const names = [...text.matchAll(ADAPTER)].map(([, name = ""]) => name);
  return names.length > 0 && names.every((name) => name === "fetch" || name.startsWith("model."));
}
