/** Recognises one kind of secret by its shape. */
export interface Detector {
  /** Lower-case words joined by hyphens; part of the placeholder. */
  readonly kind: string;
  /** A quick pattern, of which a match is in every text that holds such a secret, so that most texts need no search. */
  readonly hint: RegExp;
  /**
   * Global. Linear: one run of characters is tried from one place only. The group `secret` is what to hide, else all.
   */
  readonly pattern: RegExp;
  /** Confirms a match that the pattern alone cannot. */
  readonly confirms?: (secret: string, before: string) => boolean;
}

/** How many characters before a secret `confirms` gets to see. */
export const BEFORE = 6;

/** What may stand before a token: nothing of a token, except as the end of an escape: `\n`, `\u000a`, `%3D`. */
export const LEFT: string = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}))`;

/** A detector of keys with a fixed prefix; `hint` and `body` are patterns without flags. */
export function prefixed(kind: string, hint: string, body: string): Detector {
  return { kind, hint: new RegExp(hint), pattern: new RegExp(LEFT + body, "g") };
}

/**
 * Tells, by the characters before it, whether a token begins here: what a pattern's own look back would be too slow
 * for.
 */
export function beginsToken(before: string): boolean {
  return (
    before === "" || !/[A-Za-z0-9_.+-]$/.test(before) || /(?:\\[bfnrt]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2})$/.test(before)
  );
}

/** Tells whether a text looks drawn at random: digits, and letters of both cases or none that spell words. */
export function looksRandom(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0;
  if (digits === 0) return false;
  return (/[a-z]/.test(text) && /[A-Z]/.test(text)) || digits * 6 >= text.length;
}
