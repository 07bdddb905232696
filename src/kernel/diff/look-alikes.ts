import { escapesOf } from "../text.ts";

/**
 * Two texts that look the same on a screen, with their differences as `\uXXXX`: composed and decomposed letters, kinds
 * of spaces, dashes and quotes, invisible characters, blanks at the end, and letters of other alphabets that look like
 * Latin ones. Texts that look different are returned unchanged.
 */
export function escapeLookAlikes(before: string, after: string): readonly [string, string] {
  if (before === after || before.length > MAX_TEXT || after.length > MAX_TEXT) return [before, after];
  if (lookOf(before) !== lookOf(after)) return [before, after];
  const [left, right] = [Array.from(before), Array.from(after)];
  const marked: [string[], string[]] = [[], []];
  let [was, is] = [0, 0];
  while (was < left.length || is < right.length) {
    const [mine, theirs] = [left[was] ?? "", right[is] ?? ""];
    if (mine === theirs) {
      marked[0].push(mine);
      marked[1].push(theirs);
      [was, is] = [was + 1, is + 1];
      continue;
    }
    const [ends, begins] = meeting([left, was], [right, is]);
    const [old, current] = [left.slice(was, ends), right.slice(is, begins)];
    marked[0].push(escaped(old, current));
    marked[1].push(escaped(current, old));
    [was, is] = [ends, begins];
  }
  return [marked[0].join(""), marked[1].join("")];
}

/** A text with its spaces as `\u0020`, for blanks that can't be seen. */
export function escapeSpaces(text: string): string {
  return text.replace(/[^\S\n\t]/g, escapesOf);
}

/** Length of texts whose characters are escaped: shown values are shorter. */
const MAX_TEXT = 10_000;
/** Characters within which two texts that look alike meet again. */
const WITHIN = 12;

/** The nearest positions at which both texts continue with the same character. */
function meeting(
  [left, was]: readonly [readonly string[], number],
  [right, is]: readonly [readonly string[], number],
): readonly [number, number] {
  for (let total = 1; total <= WITHIN; total += 1) {
    for (let ahead = 0; ahead <= total; ahead += 1) {
      const [mine, theirs] = [was + ahead, is + total - ahead];
      if (mine > left.length || theirs > right.length) continue;
      if (mine === left.length && theirs === right.length) return [mine, theirs];
      if (left[mine] !== undefined && left[mine] === right[theirs]) return [mine, theirs];
    }
  }
  return [left.length, right.length];
}

/** Characters as their code points. One that every keyboard has stays if the other side shows the difference. */
function escaped(characters: readonly string[], other: readonly string[]): string {
  const isPlain = other.every((character) => PLAIN.test(character));
  const marked = characters.map((character) => {
    if (PLAIN.test(character)) return isPlain ? escapeSpaces(character) : character;
    return NAMED[character] ?? escapesOf(character);
  });
  return marked.join("");
}

const PLAIN = /^[ -~]$/;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Letters and a letter of another alphabet that looks like each: Latin ones, then Cyrillic, Greek, Armenian and
 * Cherokee ones; kinds of Arabic ones; Chinese and Japanese ones.
 */
const LIKE =
  "aа eе oо pр cс yу xх iі sѕ jј hһ dԁ qԛ wԝ lӏ AА BВ EЕ KК MМ HН OО PР CС TТ XХ IІ SЅ JЈ YҮ " +
  "oο vν kκ uυ pρ iι aα yγ AΑ BΒ EΕ ZΖ HΗ IΙ KΚ MΜ NΝ OΟ PΡ TΤ YΥ XΧ uս oօ nո hհ gɡ iı aɑ " +
  "AᎪ BᏴ CᏟ DᎠ EᎬ GᏀ HᎻ JᎫ KᏦ LᏞ MᎷ PᏢ RᎡ SᏚ TᎢ VᏙ WᎳ YᎩ ZᏃ " +
  "٠۰ ١۱ ٢۲ ٣۳ ٧۷ ٨۸ ٩۹ كک يی 口ロ 一ー 工エ 力カ 二ニ 八ハ 夕タ 卜ト へヘ";
const LETTERS: ReadonlyMap<string, string> = new Map(
  LIKE.split(" ").map((pair) => {
    const [plain = "", other = ""] = Array.from(pair);
    return [other, plain];
  }),
);

/** The look of a text: equal for texts that look the same. */
export function lookOf(text: string): string {
  return (
    text
      .replace(/[\u2033\u02ba\u05f4]/g, '"')
      .replace(/[\u2032\u02b9\u02bb\u00b4\u05f3]/g, "'")
      // Before the letters, which may have marks.
      .normalize("NFKD")
      .replace(/[\u2044\u2215]/g, "/")
      .replace(/[\u2010-\u2015\u2212\u00ad]/g, "-")
      .replace(/[\u2018\u2019\u201b\u02bc]/g, "'")
      .replace(/\\?[\u201c\u201d\u201f"]/g, '"')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
      .replace(/\s/g, " ")
      .trimEnd()
      .replace(/[^\x00-\x7f]/g, (letter) => LETTERS.get(letter) ?? letter)
  );
}
