import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import type { Frame } from "./frames.ts";
import { isContent } from "./weights.ts";

const CERTAIN =
  /^(?:definitely|certainly|undoubtedly|guaranteed|always|prove[sdn]?|confirms|confirmed|(?:certain|sure) to)$/i;
const OPEN = /^(?:may|might|could|perhaps|possibly|probably|likely|suggests?|suggested|seems?|appears?|expected)$/i;
const DUTY = /^(?:must|shall|required|obliged|compulsory|mandatory|obligatory|have to|has to|needs? to)$/i;
const OPTION = /^(?:optional|optionally|voluntary|voluntarily|recommended|advisable|choose|wish|wishes)$/i;
const PERMISSION = /^may$/i;

/** Words of a claim that exclude words of its source. */
interface Exclusion {
  readonly claim: RegExp;
  readonly source: RegExp;
  /** True if they exclude each other only before the same verb: "may be paid", "must be paid". */
  readonly isOfOneVerb?: true;
}

/** Certainty excludes an open question, and a duty excludes an option and a permission. */
const EXCLUSIONS: readonly Exclusion[] = [
  { claim: CERTAIN, source: OPEN },
  { claim: OPTION, source: DUTY },
  { claim: DUTY, source: OPTION },
  { claim: DUTY, source: PERMISSION, isOfOneVerb: true },
  { claim: PERMISSION, source: DUTY, isOfOneVerb: true },
];

/** Returns the word by which a claim is certain of what a near source leaves open, or requires what it permits. */
export function otherModality({ tokens, near, frame }: Aligned): Difference<"modality">[] {
  for (const { claim, source, isOfOneVerb = false } of EXCLUSIONS) {
    const word = wordOf(tokens, claim);
    if (word === undefined || wordOf(tokens, source) !== undefined || isNegated(word, frame)) continue;
    for (const { sentence } of near.slice(0, 2)) {
      const other = wordOf(sentence.tokens, source);
      if (other === undefined || wordOf(sentence.tokens, claim) !== undefined) continue;
      const isExcluded =
        !isOfOneVerb || (!isNegated(other, sentence.frame) && haveOneVerb([tokens, word], [sentence.tokens, other]));
      if (isExcluded) return [{ kind: "modality", word, sourceWord: other.text, sentence }];
    }
  }
  return [];
}

function haveOneVerb(...words: readonly (readonly [readonly Token[], Token])[]): boolean {
  const [own, other] = words.map(([tokens, word]) => verbAfter(tokens, word));
  return own !== undefined && own === other;
}

/** Returns the first content word after another word, within four words. */
function verbAfter(tokens: readonly Token[], word: Token): string | undefined {
  const at = tokens.indexOf(word);
  return tokens.slice(at + 1, at + 5).find((token) => isContent(token) && !/^(?:have|has|to)$/i.test(token.text))?.key;
}

/** Returns true for "not always", "mustn't". */
function isNegated({ start, end }: Token, { denials }: Frame): boolean {
  return denials.some(({ cue, starts }) => starts.has(start) || (cue.start <= end + 1 && cue.end >= start - 1));
}

function wordOf(tokens: readonly Token[], pattern: RegExp): Token | undefined {
  return tokens.find(
    ({ text }, at) =>
      tokens[at - 1]?.key !== "not" && (pattern.test(text) || pattern.test(`${text} ${tokens[at + 1]?.text}`)),
  );
}
