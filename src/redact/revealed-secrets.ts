import { isArray, isObject, isPlainObject } from "../kernel/json/plain-data.ts";
import { type AsyncScope, asyncScope } from "../kernel/async-scope.ts";
import { looksRandom } from "./secret-looks.ts";
import { finderOf } from "./known-values.ts";
import { isPlaceholder, kindOf, placeholdersIn } from "./placeholder.ts";
import { PlaceholderNumbers } from "./placeholder-numbers.ts";
import type { SecretSpan } from "./secret-spans.ts";

const BRAND = Symbol.for("veritest.revealed-secrets");

/**
 * Secrets of a recording that the names of fields revealed. A password in one part is hidden in all parts. The list
 * grows during the recording, so earlier parts are redacted again at its end.
 */
export class RevealedSecrets {
  /** The numbers in the placeholders of the recording. */
  readonly numbers: PlaceholderNumbers;
  readonly #kinds = new Map<string, string>();
  /** The texts of the input that is run, by the placeholders of the stored one. */
  readonly #inputTexts = new Map<string, string>();
  #find: ((text: string) => readonly SecretSpan[]) | undefined;

  constructor(numbers: PlaceholderNumbers = new PlaceholderNumbers()) {
    this.numbers = numbers;
  }

  static {
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }

  /** Number of secrets found so far. A higher number shows that secrets were added. */
  get size(): number {
    return this.#kinds.size;
  }

  /** Returns the same secrets with different numbers, to continue with the numbers of a stored recording. */
  withNumbers(numbers: PlaceholderNumbers): RevealedSecrets {
    const secrets = new RevealedSecrets(numbers);
    for (const [secret, kind] of this.#kinds) secrets.#add(kind, secret);
    return secrets;
  }

  /** Returns a copy with the same secrets and numbers. Secrets that you add later aren't in the copy. */
  copy(): RevealedSecrets {
    return this.withNumbers(this.numbers);
  }

  /**
   * Adds a secret if it looks random, or is a card number. A word such as "test" isn't added, because it can appear by
   * chance.
   */
  note(kind: string, secret: string): void {
    if (looksRandom(secret) || kind === "card-number") this.#add(kind, secret);
  }

  #add(kind: string, secret: string): void {
    if (this.#kinds.has(secret)) return;
    this.#kinds.set(secret, kind);
    this.#find = undefined;
  }

  /** Finds the secrets in a text, in every encoding. */
  readonly find = (text: string): readonly SecretSpan[] => {
    if (this.#kinds.size === 0) return [];
    this.#find ??= finderOf(this.#kinds);
    return this.#find(text).map((span) => ({ ...span, isRemembered: true }));
  };

  /**
   * Adds the current secrets at the positions of a stored recording's placeholders: strings of the input, and strings
   * that look random.
   */
  learn(stored: unknown, now: unknown): void {
    hiddenPairs(stored, now, (placeholder, secret) => {
      const inputSecret = this.#inputTexts.get(placeholder);
      if ((inputSecret === undefined || inputSecret === secret) && (looksRandom(secret) || encodesRandom(secret)))
        this.#add(kindOf(placeholder), secret);
    });
  }

  /** Uses the strings of a given input for the stored input's placeholders, because both are one case. */
  pairInput(stored: unknown, input: unknown): void {
    hiddenPairs(stored, input, (placeholder, secret) => {
      this.#inputTexts.set(placeholder, secret);
      this.numbers.bind(placeholder, secret);
    });
  }
}

/** Returns true if a text is base64 of one with a random part. */
function encodesRandom(text: string): boolean {
  if (!/^[\w+/-]{8,}={0,2}$/.test(text)) return false;
  return [0, 1, 2, 3].some((skip) =>
    Buffer.from(text.slice(skip), "base64")
      .toString("latin1")
      .split(/[^!-~]+/)
      .some(looksRandom),
  );
}

/** Calls `pair` with each stored placeholder and the current text at its position, if that isn't hidden. */
function hiddenPairs(stored: unknown, now: unknown, pair: (placeholder: string, secret: string) => unknown): void {
  pairs(stored, now, (was, is) => {
    for (const [placeholder, secret] of stubs(was, is)) if (!isPlaceholder(secret)) pair(placeholder, secret);
  });
}

/** Calls `pair` with texts, and names of fields, that are at one path and differ, the first with placeholders. */
function pairs(stored: unknown, now: unknown, pair: (was: string, is: string) => void): void {
  if (typeof stored === "string" && typeof now === "string") {
    if (stored !== now && stored.includes("«redacted:")) pair(stored, now);
  } else if (isArray(stored) && isArray(now)) {
    for (const [index, item] of stored.entries()) pairs(item, now[index], pair);
  } else if (isPlainObject(stored) && isPlainObject(now)) {
    for (const [name, item] of Object.entries(stored)) if (Object.hasOwn(now, name)) pairs(item, now[name], pair);
    const added = Object.keys(now).filter((name) => !Object.hasOwn(stored, name));
    for (const [index, name] of Object.keys(stored)
      .filter((known) => !Object.hasOwn(now, known))
      .entries()) {
      const is = added[index];
      if (is === undefined) return;
      pairs(name, is, pair);
      pairs(stored[name], now[is], pair);
    }
  }
}

/**
 * The parts of a text that correspond to the placeholders of another, if everything around them is the same; otherwise
 * empty.
 */
function stubs(was: string, is: string): readonly (readonly [placeholder: string, secret: string])[] {
  const matches: (readonly [string, string])[] = [];
  const ranges = placeholdersIn(was);
  let at = ranges[0]?.[0] ?? 0;
  if (!is.startsWith(was.slice(0, at))) return [];
  for (const [index, [start, end]] of ranges.entries()) {
    const after = was.slice(end, ranges[index + 1]?.[0]);
    const isLast = index === ranges.length - 1;
    const next = isLast ? is.length - after.length : is.indexOf(after, at + 1);
    if (next <= at || !is.startsWith(after, next)) return [];
    matches.push([was.slice(start, end), is.slice(at, next)]);
    at = next + after.length;
  }
  return matches;
}

const OF_RESULT = Symbol.for("veritest.secrets");

/** Stores the secrets of a recorded run with its result: its calls no longer show them. */
export function rememberSecrets(result: object, secrets: RevealedSecrets): void {
  Object.defineProperty(result, OF_RESULT, { value: secrets, enumerable: false });
}

/** The known secrets of the run of a result. */
export function secretsOf(result: object): RevealedSecrets {
  const known: unknown = Reflect.get(result, OF_RESULT);
  return isRevealedSecrets(known) ? known : new RevealedSecrets();
}

const scope: AsyncScope<RevealedSecrets> = asyncScope("revealed-secrets", isRevealedSecrets);

/** Also those that another copy of this module made, as a step of CommonJS brings one. */
function isRevealedSecrets(value: unknown): value is RevealedSecrets {
  return isObject(value) && BRAND in value;
}

/** Runs a part of one recording: redactors of this process hide in all parts the secrets that a name reveals in one. */
export function withRevealedSecrets<R>(secrets: RevealedSecrets, act: () => R): R {
  return scope.run(secrets, act);
}

/** The secrets of the recording that is made here; undefined outside of every one. */
export function currentRevealedSecrets(): RevealedSecrets | undefined {
  return scope.get();
}
