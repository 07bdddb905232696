/** Reason why no more of a body is recorded: its end, an error, or a reader or a run that left it before its end. */
export type BodyEnd = { readonly error?: unknown; readonly open?: true };

/**
 * Passes a body on to a client and keeps a copy of what arrives. Unlike `clone()`, the client's `cancel()` reaches the
 * server, and doesn't wait for the copy.
 */
export class WatchedBody {
  readonly parts: Buffer[] = [];
  /** Resolves once no more is recorded. */
  readonly end: Promise<BodyEnd>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #finish: (end: BodyEnd) => void;
  /** Undefined once the client's stream is closed. */
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOver = false;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
    const { promise, resolve } = Promise.withResolvers<BodyEnd>();
    this.end = promise;
    this.#finish = (end) => {
      this.#isOver = true;
      resolve(end);
    };
  }

  /** The response for the client. */
  responseLike({ status, statusText, headers, url, redirected, type }: Response): Response {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: async () => this.#pass(),
      cancel: async (reason) => {
        this.#controller = undefined;
        this.#finish({ open: true });
        await this.#reader.cancel(reason);
      },
    });
    return withFacts(new Response(stream, { status, statusText, headers }), { url, redirected, type });
  }

  /** Reads what the client hasn't read, to the end of the body or until `leave` is called. */
  async drain(): Promise<void> {
    while (!this.#isOver) await this.#pass();
  }

  /** Ends the recording of a body that goes on after its run; the client may still read it. */
  leave(): void {
    this.#finish({ open: true });
  }

  async #pass(): Promise<void> {
    const part = await this.#reader.read().catch((error: unknown) => ({ error }));
    if ("error" in part) {
      this.#finish({ error: part.error });
      this.#controller?.error(part.error);
    } else if (part.done) {
      this.#finish({});
      this.#controller?.close();
      this.#controller = undefined;
    } else {
      if (!this.#isOver) this.parts.push(Buffer.from(part.value));
      this.#controller?.enqueue(part.value);
    }
  }
}

/** Adds what no constructor of a response takes, to its copies too. */
export function withFacts(
  response: Response,
  facts: Readonly<Record<"url" | "redirected" | "type", unknown>>,
): Response {
  const copy = response.clone.bind(response);
  return Object.defineProperties(response, {
    url: { value: facts.url },
    redirected: { value: facts.redirected },
    type: { value: facts.type },
    clone: { value: () => withFacts(copy(), facts) },
  });
}
