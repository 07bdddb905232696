import type { Check } from "../check/check.ts";
import { parseUrl } from "../kernel/parse-url.ts";
import { httpRequestOf } from "../record/model-call.ts";

/** Address of a request, if it differs from the recording by its host, by the first part of its path, or by both. */
export interface OtherAddress {
  readonly part: "host" | "path" | "host and path";
  /** Variables that set the address, as words; undefined if the client has no known variable. */
  readonly variable: string | undefined;
  /** Rules that ignore the parts, as source code. */
  readonly ignore: string;
}

/** Returns the address of an unrecorded request that differs from the recording by it alone; otherwise undefined. */
export function otherAddress({ verdict }: Check): OtherAddress | undefined {
  if (verdict.kind !== "request_changed") return undefined;
  const [only, ...more] = verdict.cause?.evidence ?? [];
  const requests = more.length === 0 && only?.kind === "environment" ? only.requests : [];
  const entries = requests.at(-1)?.entries ?? [];
  const last = entries.at(-1);
  const path = last?.path.at(-1) === "path" ? last : undefined;
  // Another query would be the last entry.
  const origin = entries.at(path === undefined ? -1 : -2);
  const hasOrigin = origin?.path.at(-1) === "origin";
  const prefixes = path === undefined ? [] : otherPrefixes(String(path.before), String(path.after));
  if (!hasOrigin && prefixes.length === 0) return undefined;
  const urls = hasOrigin ? [origin.before, origin.after] : [httpRequestOf(verdict.unrecorded)?.origin];
  const pathPart = hasOrigin ? "host and path" : "path";
  return {
    part: prefixes.length === 0 ? "host" : pathPart,
    variable: addressVariable(urls.map(String), path === undefined ? "" : String(path.after)),
    ignore: [
      ...(hasOrigin ? ['"fetch[0].origin"'] : []),
      ...(prefixes.length === 0 ? [] : [`{ path: "fetch[0].path", match: ${prefixPattern(prefixes)} }`]),
    ].join(", "),
  };
}

/** Azure's client reads both. Its path shows which one is set. */
const AZURE = "AZURE_OPENAI_ENDPOINT and OPENAI_BASE_URL";

/** Variables with the addresses of clients, by their default hosts. */
const VARIABLES: readonly (readonly [host: RegExp, variable: string])[] = [
  [/\.openai\.azure\.com$/, AZURE],
  [/(?:^|\.)openai\.com$/, "OPENAI_BASE_URL"],
  [/(?:^|\.)anthropic\.com$/, "ANTHROPIC_BASE_URL"],
  [/^generativelanguage\.googleapis\.com$/, "GOOGLE_GEMINI_BASE_URL"],
  [/(?:^|[.-])aiplatform\.googleapis\.com$/, "GOOGLE_VERTEX_BASE_URL"],
];

/** Returns the variables that set the address of a client with one of these origins, as words; undefined if unknown. */
export function addressVariable(origins: readonly string[], path = ""): string | undefined {
  if (path.includes("/deployments/")) return AZURE;
  const hosts = origins.map((origin) => parseUrl(origin)?.hostname ?? "");
  return VARIABLES.find(([known]) => hosts.some((host) => known.test(host)))?.[1];
}

/** Returns the setting to check if an address differs, as words. */
export function addressSetting(variable: string | undefined): string {
  return variable === undefined ? "the base URL of the client" : `variables such as ${variable}`;
}

/** Returns the parts before the shared end of two paths, without empty ones. */
function otherPrefixes(before: string, after: string): readonly string[] {
  const [old, now] = [before.split("/"), after.split("/")];
  let shared = 0;
  while (shared < Math.min(old.length, now.length) - 1 && old.at(-1 - shared) === now.at(-1 - shared)) shared += 1;
  if (shared === 0) return [];
  return [old, now].map((parts) => parts.slice(0, -shared).join("/")).filter((prefix) => prefix !== "");
}

function prefixPattern(prefixes: readonly string[]): string {
  const sources = prefixes.map((prefix) => prefix.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  return `/^(?:${sources.join("|")})(?=\\/)/`;
}
