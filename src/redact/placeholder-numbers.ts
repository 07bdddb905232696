import { highestNumber, kindOf, numberIn, placeholderOf, replaceInText, replacePlaceholders } from "./placeholder.ts";

/** Recordings to compare: the stored one, and the current one. */
interface ComparedRecordings {
  /** The stored recording, or its text. Its numbers stay what they are, and new secrets are numbered after them. */
  readonly stored?: (() => unknown) | undefined;
  /** Source of the recording, if it may have placeholders already. */
  readonly live?: (() => unknown) | undefined;
  /**
   * True if the recording was numbered without the stored one: then equal numbers have no meaning, and secrets pair by
   * their positions alone.
   */
  readonly isIndependent?: boolean | undefined;
}

// Live numbers of a recording that was numbered independently must be none of those it has already.
const INDEPENDENT = 100_000_000;

/**
 * Decides the numbers of a recording's secrets in placeholders: by first appearance, or, if there is a stored
 * recording, the number at the secret's position there. `number-placeholders.ts` renumbers files as they are written.
 * Each stored number belongs to one current secret, so it's a difference if two secrets are no longer equal, or are
 * now.
 */
export class PlaceholderNumbers {
  readonly #numbers = new Map<string, number>();
  /** The number of the stored recording that belongs to a live one. */
  readonly #pairs = new Map<number, number>();
  /** The same for placeholders of another kind: a machine may know a secret by its environment. */
  readonly #kinds = new Map<string, string>();
  readonly #taken = new Set<number>();
  readonly #compared: ComparedRecordings;
  #stored: number | undefined;
  #last: number | undefined;
  #shown = 0;

  constructor(compared: ComparedRecordings = {}) {
    this.#compared = compared;
  }

  /** Returns the number of a secret. */
  of(kind: string, secretText: string): number {
    // A private key in a JSON text has its line breaks escaped; it contains no backslash, and is the same key.
    const secret = kind === "private-key" ? secretText.replace(/(?:\\+r)?\\+n|\r\n/g, "\n") : secretText;
    const known = this.#numbers.get(secret);
    if (known !== undefined) return known;
    this.#last ??= Math.max(this.#highest(), highestIn(this.#compared.live), this.#isIndependent() ? INDEPENDENT : 0);
    this.#last += 1;
    this.#numbers.set(secret, this.#last);
    return this.#last;
  }

  /** Gives a secret the number that a stored placeholder has, if both are free. */
  bind(placeholder: string, secret: string): void {
    const number = numberIn(placeholder);
    if (number === undefined || this.#isIndependent() || this.#taken.has(number)) return;
    if (this.#numbers.has(secret)) return;
    this.#taken.add(number);
    this.#numbers.set(secret, number);
  }

  /** Records that a live placeholder has the same position as a stored one. */
  pair(stored: string, live: string): void {
    if ((stored === live && !this.#isIndependent()) || this.#kinds.has(live)) return;
    const [was, is] = [numberIn(stored), numberIn(live)];
    if (was === undefined || is === undefined) return;
    const isReplayed = !this.#isIndependent() && is <= this.#highest();
    // A placeholder of the stored input may be in a text that names another kind: the key of "Bearer" and a key.
    if (!isKindAlike(stored, live) && !(isReplayed && is === was)) return;
    if (!isReplayed && !this.#pairs.has(is)) {
      if (was > this.#highest() || this.#taken.has(was)) return;
      this.#pairs.set(is, was);
      this.#taken.add(was);
    }
    if ((isReplayed ? is : this.#pairs.get(is)) === was) this.#kinds.set(live, stored);
  }

  /** Returns live data with the stored numbers of its secrets, if they're known. */
  paired(live: unknown): unknown {
    if (this.#isIndependent() || this.#pairs.size === 0) return live;
    return this.resolved(live);
  }

  /** Returns live data with the numbers that its secrets have in the stored recording. */
  resolved(live: unknown): unknown {
    return replacePlaceholders(live, (placeholder) => this.#resolve(placeholder));
  }

  /** Returns stored data in which more secrets can be hidden now. Stored numbers don't change. */
  resolvedStored(stored: unknown): unknown {
    return replacePlaceholders(stored, (placeholder) =>
      (numberIn(placeholder) ?? 0) <= this.#highest() ? placeholder : this.#resolve(placeholder),
    );
  }

  /** The same as `resolved` for a text. */
  resolvedText(live: string): string {
    return replaceInText(live, (placeholder) => this.#resolve(placeholder));
  }

  #resolve(placeholder: string): string {
    const known = this.#kinds.get(placeholder);
    const number = numberIn(placeholder);
    if (known !== undefined || number === undefined) return known ?? placeholder;
    const pair = this.#pairs.get(number);
    if (pair !== undefined || !this.#isIndependent()) return placeholderOf(kindOf(placeholder), pair ?? number);
    this.#shown += 1;
    const free = this.#highest() + this.#shown;
    this.#pairs.set(number, free);
    return placeholderOf(kindOf(placeholder), free);
  }

  #isIndependent(): boolean {
    return this.#compared.isIndependent === true;
  }

  #highest(): number {
    return (this.#stored ??= highestIn(this.#compared.stored));
  }
}

function highestIn(read: (() => unknown) | undefined): number {
  const data = read?.();
  try {
    return highestNumber(typeof data === "string" ? data : (JSON.stringify(data) ?? ""));
  } catch {
    // A value that JSON cannot represent is refused elsewhere.
    return 0;
  }
}

/** A machine that knows a secret by its environment names its kind after the variable: another may not know it. */
function isKindAlike(stored: string, live: string): boolean {
  const [was, is] = [kindOf(stored), kindOf(live)];
  return was === is || was.startsWith("env-") || is.startsWith("env-");
}
