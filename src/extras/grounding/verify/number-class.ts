import { unitFamily } from "../text/quantities.ts";
import type { Token } from "../text/tokenize.ts";

/** Returns the family of a number's unit, `clock` for a time of day, `year` for a year, or "" for a plain number. */
export function numberClass(tokens: readonly Token[], at: number): string {
  const [before, token, after] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  if (token === undefined) return "";
  if (isTime(token)) return "clock";
  const family = unitFamily(after?.key ?? "") ?? (/^[$€£¥]$/.test(before?.text ?? "") ? "money" : undefined);
  return family ?? (/^#(?:1\d|20)\d\d$/.test(token.key) && !token.text.includes(",") ? "year" : "");
}

/** Returns true for a time of day. */
export function isTime({ text }: Token): boolean {
  return /\d\s*(?::|[ap]\.?m)/i.test(text);
}
