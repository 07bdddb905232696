import { LINE_KINDS, NAMED_KINDS, PREFIXED_KINDS } from "./secret-kinds.ts";

/** A made-up secret, put together at run time so that no scanner takes a file for a leak. */
export interface CorpusSecret {
  readonly id: string;
  /** Whether its form alone tells it, its name, or the line in which it stands. */
  readonly told: "by-form" | "by-name" | "by-line";
  /** The name of the variable that usually holds it; undefined where the line has another form. */
  readonly name: string | undefined;
  readonly secret: string;
  /** The line in which it usually stands, and what is before and after the secret there. */
  readonly line: string;
  readonly before: string;
  readonly after: string;
}

/** One made-up secret of each kind; another seed gives other characters. */
export function secretCorpus(seed: number): readonly CorpusSecret[] {
  const tables = [
    ["by-form", PREFIXED_KINDS],
    ["by-name", NAMED_KINDS],
    ["by-line", LINE_KINDS],
  ] as const;
  const kinds = tables.flatMap(([told, table]) =>
    table.split("\n").flatMap((row) => (row === "" ? [] : [{ told, row }])),
  );
  return kinds.map(({ told, row }, index) => {
    const next = randomNumbers(seed * 1009 + index);
    const space = row.indexOf(" ");
    const template = row.slice(space + 1).replaceAll("\\n", "\n");
    const [, before = "", secret = "", after = ""] = (
      /^([^]*?)<((?:[^<>]|\{[^}]*\})*\{[^<>]*)>([^]*)$/.exec(template) ?? []
    ).map((part) => filled(part, next));
    const name = /^([\w.-]+)=$/.exec(before)?.[1];
    return { id: row.slice(0, space), told, name, secret, line: before + secret + after, before, after };
  });
}

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const LETTERS = LOWER + LOWER.toUpperCase();

const CLASSES: Readonly<Record<string, string>> = {
  h: `${DIGITS}abcdef`,
  H: `${DIGITS}ABCDEF`,
  w: LETTERS + DIGITS,
  u: LOWER.toUpperCase() + DIGITS,
  l: LOWER + DIGITS,
  d: DIGITS,
  b: `${LETTERS + DIGITS}+/`,
  s: `${LETTERS + DIGITS}-_`,
  B: (LETTERS + DIGITS).replace(/[0OIl]/g, ""),
};

/** Fills in a template's random parts; `next` gives the next of a row of numbers below its argument. */
function filled(template: string, next: (below: number) => number): string {
  const random = (of: string, length: number): string => {
    const characters = Array.from({ length }, () => of[next(of.length)] ?? "");
    // A run of twelve without a digit is as rare in real keys as it would be misleading here.
    if (of.length > 10 && length >= 6) characters[2 + next(length - 4)] = DIGITS[next(10)] ?? "";
    return characters.join("");
  };
  return template.replace(TOKEN, (token) => {
    const of = token.slice(1, 2);
    const [length, issuer = ""] = token.slice(2, -1).split(":");
    if (of === "P") return "PRIVATE";
    if (of === "g") return [8, 4, 4, 4, 12].map((count) => random(CLASSES["h"] ?? "", count)).join("-");
    if (of === "C") return cardNumber(issuer, Number(length), next);
    if (of === "V") return cardNumber(issuer, Number(length), next).replace(/\d{4}(?=\d)/g, "$& ");
    return random(CLASSES[of] ?? "", Number(length));
  });
}

// `{P}`, `{g}`, `{h32}`, `{C16:4}`: a class, how many, and how a card's number begins.
const TOKEN = /\{[A-Za-z]\d*(?::\d+)?\}/g;

/** The number of a card: an issuer's first digits, and a right check digit. */
function cardNumber(issuer: string, length: number, next: (below: number) => number): string {
  const digits = issuer + Array.from({ length: length - issuer.length - 1 }, () => next(10)).join("");
  const sum = Array.from(digits).reduce((total, digit, index) => {
    const doubled = (length - index) % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function randomNumbers(seed: number): (below: number) => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
