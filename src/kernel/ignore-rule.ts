/**
 * Part of a request that veritest doesn't compare. It's a path, or an object `{ path:
 * "fetch[0].body.messages[0].content", match: /Today is .*?\./ }` that ignores the matching parts of the strings below
 * the path.
 */
export type IgnoreRule = string | { readonly path: string; readonly match: RegExp };

/** Name of a rule in messages: its path, and its regular expression. */
export function ignoreRuleName(rule: IgnoreRule): string {
  return typeof rule === "string" ? JSON.stringify(rule) : `${JSON.stringify(rule.path)} (${String(rule.match)})`;
}
