import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import type { Frame } from "./frames.ts";
import { isContent } from "./weights.ts";

const CERTAIN =
  /^(?:definitely|certainly|undoubtedly|guaranteed|always|prove[sdn]?|proven|confirms|confirmed|(?:certain|sure) to)$/i;
const OPEN = /^(?:may|might|could|perhaps|possibly|probably|likely|suggests?|suggested|seems?|appears?|expected)$/i;
const DUTY = /^(?:must|shall|required|obliged|compulsory|mandatory|obligatory|have to|has to|needs? to)$/i;
const OPTION = /^(?:optional|optionally|voluntary|voluntarily|recommended|advisable|choose|wish|wishes)$/i;

/** Permission, which is the opposite of a duty only before the same verb: "may be paid", "must be paid". */
const PERMISSION = /^may$/i;

/** Words of a claim that exclude what words of its source say: what is certain isn't open, a duty isn't an option. */
const EXCLUSIVE: readonly (readonly [RegExp, RegExp])[] = [
  [CERTAIN, OPEN],
  [OPTION, DUTY],
  [DUTY, OPTION],
];
/** Words before a verb that exclude each other. */
const EXCLUSIVE_BEFORE_VERB: readonly (readonly [RegExp, RegExp])[] = [
  [DUTY, PERMISSION],
  [PERMISSION, DUTY],
];

/** Returns the word by which a claim is certain of what a near source leaves open, or requires what it permits. */
export function otherModality({ tokens, near, frame }: Aligned): Difference<"modality">[] {
  for (const [first, second] of EXCLUSIVE) {
    const word = wordOf(tokens, first);
    if (word === undefined || wordOf(tokens, second) !== undefined || isNegated(word, frame)) continue;
    for (const { sentence } of near.slice(0, 2)) {
      const other = wordOf(sentence.tokens, second);
      if (other !== undefined && wordOf(sentence.tokens, first) === undefined)
        return [{ kind: "modality", word, sourceWord: other.text, sentence }];
    }
  }
  return EXCLUSIVE_BEFORE_VERB.flatMap((pair) => otherBeforeVerb({ tokens, near, frame }, pair)).slice(0, 1);
}

function otherBeforeVerb(
  { tokens, near, frame }: Pick<Aligned, "tokens" | "near" | "frame">,
  [first, second]: readonly [RegExp, RegExp],
): Difference<"modality">[] {
  const word = wordOf(tokens, first);
  if (word === undefined || wordOf(tokens, second) !== undefined || isNegated(word, frame)) return [];
  const verb = verbAfter(tokens, word);
  return near.slice(0, 2).flatMap(({ sentence }) => {
    const other = wordOf(sentence.tokens, second);
    if (other === undefined || isNegated(other, sentence.frame) || wordOf(sentence.tokens, first) !== undefined)
      return [];
    if (verb === undefined || verbAfter(sentence.tokens, other) !== verb) return [];
    return [{ kind: "modality" as const, word, sourceWord: other.text, sentence }];
  });
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
