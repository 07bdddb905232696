import { timingSafeEqual } from "node:crypto";
import { hashText } from "../../kernel/json/hash.ts";

/** What of a request is judged before anything of it is done. */
export interface RequestFacts {
  readonly method: string;
  /** As it was sent: nothing of it is decoded, and no dots are resolved. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What a served page is known by. */
export interface PageSession {
  readonly port: number;
  /** The secret part of the page's address. */
  readonly link: string;
  /** Whether a token was given to a page, and still holds. */
  readonly holds: (token: string) => boolean;
}

/** What may be asked of a served page: itself, or one of what it sends. */
export const ACTS = ["show", "accept", "reject"] as const;

/** What a request is let through for, or the status and the sentence it is refused with. */
export type Judgement =
  | { readonly kind: "page" }
  | { readonly kind: "act"; readonly act: (typeof ACTS)[number] }
  | { readonly kind: "refused"; readonly status: number; readonly because: string };

/**
 * Judges a request: only a page that this process served may ask for anything, and only from its own address. The host
 * is asked first, because a name that a stranger points here (DNS rebinding) would make the stranger's page one of the
 * same origin; then the link, then what a browser says of who sends, then the token.
 */
export function judgeRequest({ method, url, headers }: RequestFacts, session: PageSession): Judgement {
  const own = `127.0.0.1:${session.port}`;
  if (headers["host"] !== own) return refused(421, "This page is served to 127.0.0.1 alone.");
  const [link, act, ...rest] = url.startsWith("/") ? url.slice(1).split("/") : [];
  if (link === undefined || act === undefined || rest.length > 0 || !isSame(link, session.link))
    return refused(404, "There is nothing here.");
  if (act === "") return judgePage(method, headers);
  const known = ACTS.find((name) => name === act);
  if (known === undefined) return refused(404, "There is nothing here.");
  if (method !== "POST") return refused(405, "Only the page itself asks for this.");
  if (headers["origin"] !== `http://${own}` || headers["sec-fetch-site"] !== "same-origin")
    return refused(403, "Another page asked.");
  if (headers["content-type"] !== "application/json") return refused(415, "Only JSON is read.");
  const token = headers["x-veritest-token"];
  if (typeof token !== "string" || !session.holds(token))
    return refused(403, "This page was served too long ago: load it again.");
  return { kind: "act", act: known };
}

/** The page may be opened by its link, typed or clicked in a terminal, and by nothing that another page holds. */
function judgePage(method: string, headers: RequestFacts["headers"]): Judgement {
  if (method !== "GET") return refused(405, "The page can only be read.");
  const [site = "none", dest = "document"] = [headers["sec-fetch-site"], headers["sec-fetch-dest"]];
  if ((site !== "none" && site !== "same-origin") || dest !== "document")
    return refused(403, "Open the link itself: no other page may hold this one.");
  return { kind: "page" };
}

/** Compares secrets in a time that says nothing of them. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashText(given)), Buffer.from(hashText(secret)));
}

function refused(status: number, because: string): Judgement {
  return { kind: "refused", status, because };
}
