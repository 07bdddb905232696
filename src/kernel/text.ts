/**
 * Characters that a joiner may follow, because it changes their visible shape: emoji, and letters of scripts whose
 * letters join. The string is the inside of a character class.
 */
export const JOINED: string = [
  "\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f",
  ..."Arab Beng Deva Gujr Guru Khmr Knda Mlym Mong Mymr Nkoo Orya Sinh Syrc Taml Telu Tibt"
    .split(" ")
    .map((name) => `\\p{Script=${name}}`),
].join("");

/** Characters that most texts don't have. */
const BEYOND_PRINTED_ASCII = /[^\0-~]/;

let invisible: RegExp | undefined;

/**
 * C1 controls, line separators, lone surrogates, and invisible characters (bidi and zero-width characters, joiners,
 * tags, fillers, soft hyphens): JSON.stringify lets them through (it escapes lone surrogates, but a JSON text from
 * elsewhere may have them) and a terminal or a review would obey, or hide them. Each is checked after a match: checking
 * the character before at every position took four times as long. Made with the first text that may have one: as a
 * constant of the module it took each test file 1 ms.
 */
function invisibleCharacters(): RegExp {
  return (invisible ??= new RegExp(
    "[\\u007f-\\u009f\\u2028\\u2029\\u2800\\ufff9-\\ufffb\\ufffe\\uffff" +
      "\\p{Default_Ignorable_Code_Point}\\p{Surrogate}]" +
      `(?<!\\ufe0f|[${JOINED}][\\u200c\\u200d])`,
    "gu",
  ));
}

// The C0 controls except \n and \t, which prose may have.
const CONTROL = /[\u0000-\u0008\u000b-\u001f]/g;

// Commands in the log of a CI job: `##[error]` anywhere in a line (GitHub, and with other names Azure and TeamCity),
// and `::error::` at the start of one.
const LOG_COMMAND = /##(?=\w*\[)/g;
const LINE_COMMAND = /^([^\S\n]*:):/gm;

/**
 * Writes a text as a JSON string in double quotes that is safe to print: besides what JSON escapes, control, bidi and
 * invisible characters, lone surrogates and what begins a command in the log of a CI job appear as `\uXXXX`, so that a
 * terminal, a log or a pull request shows them instead of obeying them. Parsing the result gives the text back.
 */
export function quote(text: string): string {
  return escapeJson(JSON.stringify(text));
}

/**
 * Makes prose safe to print: the escapes of `quote` without quotes around, keeping `\n` and `\t`. Quotes and
 * backslashes stay as they are, so the result is for reading, not for parsing.
 */
export function escapeText(text: string): string {
  const safe = escapeInvisible(text.replace(CONTROL, (control) => JSON.stringify(control).slice(1, -1)));
  // Few texts have either, and this is called for every line that is printed.
  return safe.includes("##") || safe.includes("::")
    ? safe.replace(LOG_COMMAND, "#\\u0023").replace(LINE_COMMAND, "$1\\u003a")
    : safe;
}

/** Escapes a JSON string for printing, as `quote` does; the result parses to the same value. */
export function escapeJson(json: string): string {
  return escapeInvisible(json).replace(LOG_COMMAND, "#\\u0023");
}

/**
 * Escapes control, bidi and invisible characters and lone surrogates inside a JSON text: characters that a reviewer of
 * a file could not see. Joiners that shape an emoji, or a letter of a script, stay. The result is JSON that parses to
 * the same value.
 */
export function escapeInvisible(json: string): string {
  return BEYOND_PRINTED_ASCII.test(json) ? json.replace(invisibleCharacters(), escapesOf) : json;
}

/** The escapes of a character, of each half of one beyond the first 65,536: JSON has no other. */
export function escapesOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/**
 * Cuts a text after `maxLength` UTF-16 code units, one less if that would split a surrogate pair, and adds how many
 * were left out: `abc… (+7 characters)`. A text that fits is returned unchanged.
 */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = Math.max(0, Math.trunc(maxLength));
  const kept = text.slice(0, splitsPair(text, end) ? end - 1 : end);
  return `${kept}… (+${text.length - kept.length} characters)`;
}

function splitsPair(text: string, end: number): boolean {
  return end > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1));
}

const BARE = /^[\p{L}\p{N}_$-]+$/u;

/**
 * Formats a path: `user.name`, `[1]`, `lines[0].sku`, or `(root)` for the empty path. A name with characters other than
 * letters, digits, `_`, `$` and `-` is quoted, `["a b"]`, so paths are unambiguous and safe to print.
 */
export function formatPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return "(root)";
  let text = "";
  for (const segment of path) text += formatSegment(segment, text === "");
  return text;
}

function formatSegment(segment: string | number, first: boolean): string {
  if (typeof segment === "number") return `[${segment}]`;
  if (!BARE.test(segment)) return `[${quote(segment)}]`;
  return first ? segment : `.${segment}`;
}

const UNITS: readonly (readonly [bytes: number, unit: string])[] = [
  [1_000_000_000, "GB"],
  [1_000_000, "MB"],
  [1000, "kB"],
];

/** A number of bytes for people: `812 B`, `1.8 kB`, `24 MB`. */
export function formatSize(bytes: number): string {
  // A size that rounds to 1000 of a unit is 1 of the next.
  const [size, unit] = UNITS.find(([least]) => bytes >= least * 0.9995) ?? [1, "B"];
  const count = bytes / size;
  return `${count < 9.95 && size > 1 ? count.toFixed(1) : Math.round(count)} ${unit}`;
}

/** Returns the share of the longer string that both strings begin and end with, from 0 to 1. */
export function sharedPart(a: string, b: string): number {
  const { start, end } = sharedEnds(a, b);
  return (start + end) / Math.max(a.length, b.length, 1);
}

/** Returns how many characters two texts share at their start and, after that, at their end. */
export function sharedEnds(a: string, b: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(a.length, b.length);
  const start = sharedLength(shorter, (from, to) => a.slice(from, to) === b.slice(from, to));
  const end = sharedLength(
    shorter - start,
    (from, to) => a.slice(a.length - to, a.length - from) === b.slice(b.length - to, b.length - from),
  );
  return { start, end };
}

/** Compares blocks, and smaller ones at the first difference: a long text takes a tenth of the time of one by one. */
function sharedLength(most: number, isShared: (from: number, to: number) => boolean): number {
  let shared = 0;
  for (let size = 256; size > 0; size >>= 1)
    while (shared + size <= most && isShared(shared, shared + size)) shared += size;
  return shared;
}

/** By code units: the same order on every machine. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** US dollars with at least two decimals, and two digits of a small amount: `$1.20`, `$0.0123`, `$0.000045`. */
export function costText(cost: number): string {
  const digits = cost > 0 && cost < 1 ? Math.min(12, 1 - Math.floor(Math.log10(cost))) : 2;
  return `$${cost.toFixed(Math.max(2, digits))}`;
}

/**
 * Quotes a path for a shell if it contains characters other than letters, digits and `_./-`. A path that begins with a
 * dash would be an option.
 */
export function commandPath(path: string): string {
  const plain = path.startsWith("-") ? `./${path}` : path;
  return /^[\w./-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["$`\\]/g, "\\$&")}"`;
}
