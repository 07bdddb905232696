/** Never the last word of a sentence. */
const BEFORE_MORE: ReadonlySet<string> = new Set(
  "mr mrs ms mx dr prof rev hon gen col lt sgt capt gov sen rep pres st mt ft fig figs eq eqs sec ch vol ed eds cf vs v viz e.g i.e eg ie approx ca resp incl excl".split(
    " ",
  ),
);

/** Takes a number after it when it is an abbreviation: `No. 5`, `p. 12`. */
const BEFORE_NUMBERS: ReadonlySet<string> = new Set(
  "no nos nr p pp art para jan feb mar apr jun jul aug sep sept oct nov dec".split(" "),
);

/** May end a sentence; then a word follows that usually begins one. */
const MAY_END: ReadonlySet<string> = new Set(
  "etc al inc ltd co corp llc plc bros dept univ assn jr sr ph.d m.d b.a m.a".split(" "),
);

/** Words that begin sentences far more often than they go on after an abbreviation. */
const OPENER =
  /^["'“‘«([*_`]*(?:The|This|That|These|Those|There|It|Its|He|She|They|We|You|I|His|Her|Their|Our|In|On|At|By|For|From|With|As|If|When|While|After|Before|But|And|However|Also|A|An|To|Some|Many|Most|No|Not|Another|Each)\b/;

/**
 * Tells whether the word before a period is an abbreviation that goes on with `next`, the text behind the period:
 * titles, `e.g.`, months and `No.` before numbers, initials, and `Inc.` or `U.S.` unless a new sentence clearly begins.
 */
export function isAbbreviation(word: string, next: string): boolean {
  const lower = word.toLowerCase();
  if (BEFORE_MORE.has(lower)) return true;
  if (BEFORE_NUMBERS.has(lower)) return /^[([]?\d/.test(next);
  const dotted = /^\p{L}(?:\.\p{L})+$/u.test(word);
  const initial = /^\p{Lu}$/u.test(word);
  if (MAY_END.has(lower) || dotted || initial) return !OPENER.test(next);
  return false;
}
