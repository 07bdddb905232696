/** The parts of a URL that a request has in separate fields. */
interface UrlParts {
  /** Ends with a slash. */
  readonly base: string;
  /** Name of the field with the path. */
  readonly name: string;
  /** The slashes that the path begins with: clients join it to the base by one. */
  readonly slashes: string;
  readonly path: string;
}

const BASES = ["origin", "baseURL", "baseUrl", "prefixUrl", "hostname", "host"];
const PATHS = ["path", "pathname", "url"];

type Fields = Readonly<Record<string, unknown>>;

/** Returns the host and the path of a request, as `{ origin, path }` of `fetch`; undefined for other objects. */
export function urlParts(fields: Fields): UrlParts | undefined {
  const isText = (key: string): boolean => typeof fields[key] === "string";
  const host = BASES.find(isText);
  const name = host === undefined ? undefined : PATHS.find(isText);
  if (host === undefined || name === undefined) return undefined;
  const base = String(fields[host]);
  const [, slashes = "", path = ""] = /^(\/*)([^]*)$/.exec(String(fields[name])) ?? [];
  return { base: base.endsWith("/") ? base : `${base}/`, name, slashes, path };
}

/** Returns the path without the secrets that only the complete URL shows, such as that of a webhook. */
export function redactedPath({ base, slashes, path }: UrlParts, redactText: (text: string) => string): string {
  const redacted = redactText(base + path);
  return slashes + (redacted.startsWith(base) ? redacted.slice(base.length) : path);
}

/** Returns true for a field of a request with the parameters of its query or form, where `sig` is a secret. */
export function isParameters(name: string): boolean {
  return name === "query" || name === "form" || name === "params";
}
