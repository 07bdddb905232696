/**
 * Parses a URL; undefined if it isn't valid. Unlike `URL.parse` and `URL.canParse`, it works with the `URL` of jsdom 20
 * (Jest 29), which replaces Node's.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
