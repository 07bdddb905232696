import { type FieldLookup, isCode, looksLikeCredential } from "./field-names.ts";
import { type SecretSpan, containsText } from "./secret-spans.ts";

/**
 * Returns true if a text may contain a secret that only its line shows, with no `:` or `=`: options of commands,
 * elements of XML, arguments of functions, the words of .netrc; false is certain. Natively and by rare characters: a
 * pattern, or a search for a leading space, takes ten times as long.
 */
export function mayContainLineSecret(text: string): boolean {
  if (text.length < 12) return false;
  return (
    hasOption(text) ||
    hasArgument(text) ||
    (text.includes("<") && (text.includes("</") || text.includes("value="))) ||
    containsText(text, "password ", "word ") ||
    containsText(text, "PASSWORD '", "WORD '") ||
    containsText(text, "IDENTIFIED BY '", "BY '") ||
    containsText(text, "form-data", "-data") ||
    text.includes("]=") ||
    text.includes("%5D=") ||
    containsText(text, "Private-Lines", "-Lines") ||
    text.includes("5432:")
  );
}

const SPACE = 32;
const OPTION_CODES = new Set(Array.from("-pua", (letter) => letter.charCodeAt(0)));
const ARGUMENT_CODES = new Set(Array.from("\"'\\", (letter) => letter.charCodeAt(0)));

/** Returns true if a text has ` --`, ` -p`, ` -u` or ` -a`. */
function hasOption(text: string): boolean {
  for (let index = text.indexOf("-", 1); index !== -1; index = text.indexOf("-", index + 1))
    if (text.charCodeAt(index - 1) === SPACE && OPTION_CODES.has(text.charCodeAt(index + 1))) return true;
  return false;
}

/** Returns true if a text has a bracket before a quote, also an escaped one. */
function hasArgument(text: string): boolean {
  for (let index = text.indexOf("("); index !== -1; index = text.indexOf("(", index + 1))
    if (ARGUMENT_CODES.has(text.charCodeAt(index + 1))) return true;
  return false;
}

/** A form of a line: the groups `name` and `secret`, or a kind if the form itself marks the secret. */
interface LineForm {
  /** A part of every text with this form; the search is faster the rarer its first letter is. */
  readonly hint: string;
  /** The text also contains one of these. */
  readonly anyOf?: readonly string[];
  readonly pattern: RegExp;
  /** The kind of the secret; if undefined, the group `name` decides. */
  readonly kind?: string;
  /** True if any text counts, as in data; false for only texts that look like a credential. */
  readonly data?: boolean;
}

const FORMS: readonly LineForm[] = [
  {
    hint: "--",
    pattern: / --(?<name>[a-z][\w-]{1,40})(?:=| {1,4})\\*["']?(?<secret>[^\s"'`<>{}()|\\-][^\s"'`<>{}()|\\]{5,511})/g,
  },
  {
    hint: "-p",
    anyOf: ["mysql", "mariadb", "sshpass", "7z"],
    kind: "password",
    pattern:
      /\b(?:mysql\w*|mariadb(?:-dump)?|sshpass|7z)\b[^\n]{0,200}? -p\\*["']?(?<secret>[^\s"'$<\\-][^\s"'<>\\]{3,255})/g,
  },
  {
    hint: "-p ",
    anyOf: ["login", "sshpass", "mongo"],
    kind: "password",
    pattern: /\b(?:login|sshpass|mongo\w*)\b[^\n]{0,200}? -p +\\*["']?(?<secret>[^\s"'$<\\-][^\s"'<>\\]{3,255})/g,
  },
  {
    hint: "-a ",
    anyOf: ["redis-cli"],
    kind: "password",
    pattern: /\bredis-cli\b[^\n]{0,200}? -a +\\*["']?(?<secret>[^\s"'$<\\-][^\s"'<>\\]{3,255})/g,
  },
  {
    hint: "-u",
    anyOf: ["curl", "http"],
    kind: "password",
    pattern: /\b(?:curl|http)\b[^\n]{0,200}? -u ?["']?[\w.@+-]{1,128}:(?<secret>[^\s"'$<>\\]{4,255})/g,
  },
  {
    hint: "--user",
    anyOf: ["curl", "wget"],
    kind: "password",
    pattern: /\b(?:curl|wget)\b[^\n]{0,200}? --user[ =]["']?[\w.@+-]{1,128}:(?<secret>[^\s"'$<>\\]{4,255})/g,
  },
  {
    hint: "word ",
    anyOf: ["password "],
    kind: "password",
    pattern: /\blogin\s{1,4}[^\s<]{1,256}\s{1,4}password\s{1,4}(?<secret>[^\s<$"'\\]{4,512})/g,
  },
  {
    hint: "'",
    anyOf: ["WORD '", "word '", "Y '", "by '"],
    kind: "password",
    pattern: /\b(?:PASSWORD|IDENTIFIED BY|password|identified by) '(?<secret>[^'\n«»]{6,256})'/g,
  },
  {
    hint: "; name=",
    data: true,
    pattern: /form-data; name=\\*"(?<name>[\w.-]{1,64})\\*"(?:\r?\n|(?:\\+r)?\\+n){2}(?<secret>[^\r\n\\]{1,4096})/g,
  },
  {
    hint: "=",
    anyOf: ["%5D=", "]="],
    pattern: new RegExp(
      String.raw`(?<=^|[?&"'\s])\w{1,64}(?:\[|%5B)(?<name>[\w.-]{1,64})(?:\]|%5D)=` +
        String.raw`(?<secret>[^&\s"'<>\\«»;,(){}[\]]{6,512})(?=[&\s"'\\]|$)`,
      "g",
    ),
  },
  {
    hint: "</",
    data: true,
    pattern: /<(?:\w{1,32}:)?(?<name>[A-Za-z][\w.-]{1,63})(?:\s[^<>]{0,200})?>(?<secret>[^<>]{1,4096})<\//g,
  },
  {
    hint: "value=",
    data: true,
    pattern: /\b(?:key|name|id)=(\\*["'])(?<name>[\w.:-]{1,64})\1\s{1,8}value=(\\*["'])(?<secret>[^"'<>\\]{1,4096})\3/g,
  },
  { hint: "(", pattern: /\((\\*["'])(?<name>[\w.-]{1,64})\1,\s{0,8}(\\*["'])(?<secret>[^"'`\s\\«»]{6,512})\3/g },
  {
    hint: "Private-Lines",
    kind: "private-key",
    data: true,
    pattern: /Private-Lines: \d{1,3}(?:\s|\\+[nr]){1,4}(?<secret>(?:[A-Za-z0-9+/=\s]|\\+[nr](?!Private)){20,8192})/g,
  },
  {
    hint: ":5432:",
    kind: "password",
    pattern: /(?<=[\w*]):5432:(?:[A-Za-z_][\w-]{0,63}|\*):[A-Za-z_][\w-]{0,63}:(?<secret>[^\s:"'\\]{6,256})/g,
  },
];

/** Finds the secrets that a form of line shows: `--password …`, `<password>…</password>`, `login … password …`. */
export function findInLines(text: string, lookup: FieldLookup): readonly SecretSpan[] {
  if (!mayContainLineSecret(text)) return [];
  const spans: SecretSpan[] = [];
  for (const { hint, anyOf, pattern, kind, data } of FORMS) {
    if (!text.includes(hint) || anyOf?.some((part) => text.includes(part)) === false) continue;
    for (const { index, 0: match, groups } of text.matchAll(pattern)) {
      const secret = groups?.["secret"] ?? "";
      const secretKind = kind ?? lookup(groups?.["name"] ?? "")?.kind;
      if (secretKind === undefined || isCode(secret) || !(data === true || looksLikeCredential(secret, 6))) continue;
      const start = index + match.lastIndexOf(secret);
      spans.push({ start, end: start + secret.trimEnd().length, kind: secretKind });
    }
  }
  return spans;
}
