import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import type { Frame } from "./frames.ts";

const CERTAIN = /^(?:definitely|certainly|undoubtedly|guaranteed|always|proves?|proved|proven|confirm(?:s|ed))$/i;
const OPEN = /^(?:may|might|could|perhaps|possibly|probably|likely|suggests?|suggested|seems?|appears?|expected)$/i;
const DUTY = /^(?:must|shall|required|obliged|compulsory|mandatory|obligatory|have to|has to|needs? to)$/i;
const OPTION = /^(?:optional|optionally|voluntary|voluntarily|recommended|advisable|choose|wish|wishes)$/i;

/** Words of a claim that exclude what words of its source say: what is certain isn't open, a duty isn't an option. */
const EXCLUSIVE: readonly (readonly [RegExp, RegExp])[] = [
  [CERTAIN, OPEN],
  [OPTION, DUTY],
  [DUTY, OPTION],
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
  return [];
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
