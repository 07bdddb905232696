/**
 * Part of requests that isn't compared: a path, or the parts of the strings at or below a path that match a regular
 * expression: `{ path: "fetch[0].body.messages[0].content", match: /Today is .*?\./ }`.
 */
export type IgnoreRule = string | { readonly path: string; readonly match: RegExp };

/** Name of a rule in messages: its path, and its regular expression. */
export function ignoreRuleName(rule: IgnoreRule): string {
  return typeof rule === "string" ? JSON.stringify(rule) : `${JSON.stringify(rule.path)} (${String(rule.match)})`;
}
