import { unitFamily } from "../text/quantities.ts";
import { MONTHS, type Token } from "../text/tokenize.ts";

/** Words between a number and its unit: "5 working days". */
const BETWEEN = /^(?:work|busi|calendar|consecut|full|complet|extra|further|addit|more|annual|hour)$/;

/**
 * Returns the family of a number's unit, `clock` for a time of day, `year` for a year, `date` for a day, `code` for
 * "K7", `ratio` for "1 in 10", or "" for a plain number.
 */
export function numberClass(tokens: readonly Token[], at: number): string {
  const [before, token, after] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  if (token === undefined) return "";
  if (isTime(token)) return "clock";
  if (/^#.*\p{L}/u.test(token.key)) return "code";
  // "1 in 10 people".
  if (/^(?:in|of)$/.test(after?.key ?? "") && tokens[at + 2]?.kind === "number") return "ratio";
  const isDay = /^#(?:[1-9]|[12]\d|3[01])$/.test(token.key);
  const isAfterMonth = before !== undefined && MONTHS.has(before.key) && token.start - before.end === 1;
  if (isDay && (MONTHS.has(after?.key ?? "") || isAfterMonth)) return "date";
  const unit = BETWEEN.test(after?.key ?? "") ? tokens[at + 2] : after;
  const family = unitFamily(unit?.key ?? "") ?? (/^[$€£¥]$/.test(before?.text ?? "") ? "money" : undefined);
  return family ?? (/^#(?:1\d|20)\d\d$/.test(token.key) && !token.text.includes(",") ? "year" : "");
}

/** Returns true for a time of day. */
export function isTime({ text }: Token): boolean {
  return /\d\s*(?::|[ap]\.?m)/i.test(text);
}

/** Returns true for a number that may count what the answer itself lists: "two plans". */
export function isSmallCount(tokens: readonly Token[], at: number): boolean {
  return (
    /^#\d+$/.test(tokens[at]?.key ?? "") && Number(tokens[at]?.key.slice(1)) <= 12 && numberClass(tokens, at) === ""
  );
}
