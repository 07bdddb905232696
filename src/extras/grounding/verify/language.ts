/** Frequent words of languages that could be taken for English by their letters. Few of them are English words, too. */
const OTHER_LANGUAGES: ReadonlySet<string> = new Set(
  [
    "der das und nicht ist ein eine mit von für auf dem sind wird werden kann auch nach bei aus wenn einen zum zur",
    "le les des est une pas dans sont avec sur qui aux cette du peut être sans ont leur",
    "el los las una con por para del sus como está pero puede tiene",
    "il di che è della gli sono nel alla con delle può dei",
    "um uma não dos das são pelo ao também pode",
    "het een niet zijn wordt voor met aan worden ook bij naar kan mag",
    "och är att som på av för inte det den med till kan",
    "og er på til ikke som har af et ved kan",
    "nie się jest oraz które przez są być oraz się na",
    "ve bir bu için değil ile olarak",
  ].flatMap((line) => line.split(" ")),
);

const ENGLISH: ReadonlySet<string> = new Set(
  (
    "the of and to is are was were be been has have had it its this that with for from by not at an or as will would " +
    "can which who they their he she his her if when must should may more than no do does"
  ).split(" "),
);

/** Note for a verification in a language that the rules of contradictions don't know. */
export const OVERLAP_NOTE: string = "only word overlap";

/** Minimum number of words of a text whose language can be read. */
const MIN_WORDS = 5;

/**
 * Returns true if a text is in another language than English, for which the rules of contradictions don't exist. A text
 * without a frequent word of any language, such as a table, counts as English.
 */
export function isOtherLanguage(text: string): boolean {
  const words =
    text
      .slice(0, 20_000)
      .toLowerCase()
      .match(/[\p{L}\p{M}]+/gu) ?? [];
  const latin = words.filter((word) => /^\p{Script=Latin}/u.test(word)).length;
  if (latin * 2 < words.length) return true;
  const english = words.filter((word) => ENGLISH.has(word)).length;
  const other = words.filter((word) => OTHER_LANGUAGES.has(word)).length;
  return words.length >= MIN_WORDS && other > english;
}
