/**
 * The JSON text inside an answer: without white space around, and without the code fence some models put it in. A fence
 * counts only when nothing stands before or after it.
 */
export function stripFences(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith("```") || !trimmed.endsWith("```")) return trimmed;
  const firstBreak = trimmed.indexOf("\n");
  // Without a line break the whole is one line: ```{"a":1}```.
  const start = firstBreak === -1 ? 3 : firstBreak + 1;
  return trimmed.slice(start, Math.max(start, trimmed.length - 3)).trim();
}
