import { timingSafeEqual } from "node:crypto";
import { hashText } from "../../kernel/json/hash.ts";

/** Facts of a request that are judged before it's handled. */
export interface RequestFacts {
  readonly method: string;
  /** URL as sent: not decoded, and dots aren't resolved. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Identity of a served page. */
export interface PageSession {
  readonly port: number;
  /** Secret part of the page's address. */
  readonly link: string;
  /** Returns whether a token was issued to a page and hasn't expired. */
  readonly isValid: (token: string) => boolean;
}

/** Requests that a page may send. */
export const ACTS = ["show", "accept", "reject"] as const;

/** Decision on a request: allowed as this kind, or refused with a status and a sentence. */
export type GuardResult =
  | { readonly kind: "page" }
  | { readonly kind: "act"; readonly act: (typeof ACTS)[number] }
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

/**
 * Judges a request: only a page of this process may send one, and only from its own address. Checks the host first,
 * because with DNS rebinding a foreign page would have the same origin. Then checks the link, the browser's headers
 * about the sender, and the token.
 */
export function guardRequest({ method, url, headers }: RequestFacts, session: PageSession): GuardResult {
  const own = `127.0.0.1:${session.port}`;
  if (headers["host"] !== own) return refused(421, "This page is available on 127.0.0.1 only.");
  const [link, act, ...rest] = url.startsWith("/") ? url.slice(1).split("/") : [];
  if (link === undefined || act === undefined || rest.length > 0 || !isSame(link, session.link))
    return refused(404, "Not found.");
  if (act === "") return judgePage(method, headers);
  const known = ACTS.find((name) => name === act);
  if (known === undefined) return refused(404, "Not found.");
  if (method !== "POST") return refused(405, "Refused: only the report page can send this request. Use its buttons.");
  if (headers["origin"] !== `http://${own}` || headers["sec-fetch-site"] !== "same-origin")
    return refused(403, "Refused: the request didn't come from the report page.");
  if (headers["content-type"] !== "application/json") return refused(415, "The request must be JSON.");
  const token = headers["x-veritest-token"];
  if (typeof token !== "string" || !session.isValid(token)) return refused(403, "This page has expired. Reload it.");
  return { kind: "act", act: known };
}

/** Allows opening the page by its link, typed or clicked in a terminal, but not from another page. */
function judgePage(method: string, headers: RequestFacts["headers"]): GuardResult {
  if (method !== "GET") return refused(405, "This address accepts GET requests only.");
  const [site = "none", dest = "document"] = [headers["sec-fetch-site"], headers["sec-fetch-dest"]];
  if ((site !== "none" && site !== "same-origin") || dest !== "document")
    return refused(403, "Open the link directly: other pages can't embed this one.");
  return { kind: "page" };
}

/** Compares secrets in constant time. */
function isSame(actual: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashText(actual)), Buffer.from(hashText(secret)));
}

function refused(status: number, reason: string): GuardResult {
  return { kind: "refused", status, reason };
}
