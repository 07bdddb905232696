import { randomBytes } from "node:crypto";

/** How long a page may ask after it was served: a day's work. */
const LIFE_MS = 12 * 3_600_000;
/** Pages that are open at once; of more, the oldest may no longer ask. */
const MAX_PAGES = 64;

/** The tokens of the pages that one process served. */
export interface PageTokens {
  /** A new one, for a page that is being served. */
  readonly issue: () => string;
  readonly holds: (token: string) => boolean;
}

/** Tokens that end with the process, or after half a day. `now` tells milliseconds. */
export function pageTokens(now: () => number): PageTokens {
  const ends = new Map<string, number>();
  return {
    issue: () => {
      const token = secret();
      ends.set(token, now() + LIFE_MS);
      for (const old of [...ends.keys()].slice(0, Math.max(0, ends.size - MAX_PAGES))) ends.delete(old);
      return token;
    },
    holds: (token) => (ends.get(token) ?? 0) > now(),
  };
}

/** 256 bits that may stand in an address. */
export function secret(): string {
  return randomBytes(32).toString("base64url");
}
