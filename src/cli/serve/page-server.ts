import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { messageOf } from "../../kernel/error-message.ts";
import { type ACTS, guardRequest } from "./request-guard.ts";
import type { PageResponse } from "./handle-page-request.ts";

/** Maximum bytes of a request: enough for about 20,000 changes by their hashes. */
const MAX_BODY = 4 * 1024 * 1024;
/** Timeout of a request, and of an idle connection. */
const PATIENCE_MS = 10_000;

/** Content of a server. */
export interface PageSource {
  readonly tokens: PageTokens;
  /** Renders the page with the token for its requests. */
  readonly page: (token: string) => Promise<string>;
  /** Handles a request of the page. Requests run one after another. */
  readonly respond: (act: (typeof ACTS)[number], text: string) => Promise<PageResponse>;
}

/** A listening server. */
export interface PageServer {
  /** Address of the page, with its secret. */
  readonly url: string;
  /** Closes the server after the response to the running request, so that no change is half applied. */
  readonly close: () => Promise<void>;
}

/**
 * Serves one page to this machine only, on a port of 127.0.0.1 (0 for a free one). Rejects with the system's error if
 * the port isn't available.
 */
export async function servePage(port: number, source: PageSource): Promise<PageServer> {
  const link = secret();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async (act: (typeof ACTS)[number], text: string, response: ServerResponse): Promise<void> => {
    const earlier = last;
    const answer = async (): Promise<void> => {
      await earlier;
      const { status, body } = await source.respond(act, text);
      send(response, { status, json: body });
      // The page needs the result before a signal closes its connection.
      if (!response.closed) await new Promise((sent) => response.once("close", sent));
    };
    const turn = answer();
    last = turn.catch(() => undefined);
    return turn;
  };
  const server = createServer(
    {
      requestTimeout: PATIENCE_MS,
      headersTimeout: PATIENCE_MS / 2,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16_384,
    },
    (request, response) => void respond({ request, response }),
  );
  server.maxConnections = 64;
  server.keepAliveTimeout = PATIENCE_MS / 2;
  server.setTimeout(6 * PATIENCE_MS);
  const bound = await listening(server, port);
  const session = { port: bound, link, isValid: source.tokens.isValid };

  async function respond({ request, response }: { request: IncomingMessage; response: ServerResponse }): Promise<void> {
    const { method = "", url = "", headers } = request;
    const judged = guardRequest({ method, url, headers }, session);
    try {
      switch (judged.kind) {
        case "refused":
          return send(response, { status: judged.status, json: { problems: [judged.reason] }, ends: true });
        case "page":
          return send(response, { status: 200, html: await source.page(source.tokens.issue()) });
        case "act": {
          const text = await bodyOf(request);
          if (text === undefined)
            return send(response, { status: 413, json: { problems: ["The request is too large."] }, ends: true });
          // A policy's check, or the turn, may take longer than an idle connection may.
          response.setTimeout(0);
          return await inTurn(judged.act, text, response);
        }
      }
    } catch (thrown) {
      send(response, { status: 500, json: { problems: [messageOf(thrown)] }, ends: true });
    }
  }

  return {
    url: `http://127.0.0.1:${bound}/${link}/`,
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      await last;
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listening(server: Server, port: number): Promise<number> {
  // Rejects if the server has an error instead, as for a port that is in use.
  await once(server.listen({ host: "127.0.0.1", port, exclusive: true }), "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/**
 * Reads a request's body. Returns undefined if it's too large, and discards the rest. Rejects if the client
 * disconnects.
 */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((done, failed) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= MAX_BODY) parts.push(part);
      else done(undefined);
    });
    request.on("end", () => done(Buffer.concat(parts).toString("utf8")));
    request.on("error", failed);
    request.on("close", () => failed(new Error("The connection was closed.")));
  });
}

/** Response: a page, or JSON. `ends` closes the connection afterwards. */
type Sent = { readonly status: number; readonly ends?: boolean } & (
  | { readonly html: string }
  | { readonly json: unknown }
);

function send(response: ServerResponse, { status, ends = false, ...sent }: Sent): void {
  if (response.headersSent || response.destroyed) return;
  const [type, text] =
    "html" in sent ? ["text/html; charset=utf-8", sent.html] : ["application/json", JSON.stringify(sent.json)];
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "content-security-policy": "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    ...(ends ? { connection: "close" } : {}),
  });
  response.end(text);
}

/** Lifetime of a page's token: a day's work. */
const LIFE_MS = 12 * 3_600_000;
/** Maximum number of open pages. Above it, the oldest token expires. */
const MAX_PAGES = 64;

/** Tokens of the pages of one process. */
interface PageTokens {
  /** Creates a token for a new page. */
  readonly issue: () => string;
  readonly isValid: (token: string) => boolean;
}

/** Creates tokens that expire with the process, or after half a day. `now` returns milliseconds. */
export function pageTokens(now: () => number): PageTokens {
  const ends = new Map<string, number>();
  return {
    issue: () => {
      const token = secret();
      ends.set(token, now() + LIFE_MS);
      for (const old of [...ends.keys()].slice(0, Math.max(0, ends.size - MAX_PAGES))) ends.delete(old);
      return token;
    },
    isValid: (token) => (ends.get(token) ?? 0) > now(),
  };
}

/** Creates 256 random bits that are safe in an address. */
function secret(): string {
  return randomBytes(32).toString("base64url");
}
