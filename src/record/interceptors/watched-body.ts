/** Reason why no more of a body is recorded: its end, an error, or a reader or a run that left it before its end. */
export type BodyEnd = { readonly error?: unknown; readonly aborted?: true; readonly open?: true };

type Controller = ReadableStreamDefaultController<Uint8Array> | ReadableByteStreamController;

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
  #controller: Controller | undefined;
  readonly #isByteStream: boolean;
  readonly #signal: AbortSignal | undefined;
  #isOver = false;

  /** `signal` is the one by which the caller may abort the request. */
  constructor(body: ReadableStream<Uint8Array>, signal?: AbortSignal) {
    this.#signal = signal;
    this.#isByteStream = isByteStream(body);
    this.#reader = body.getReader();
    const { promise, resolve } = Promise.withResolvers<BodyEnd>();
    this.end = promise;
    this.#finish = (end) => {
      this.#isOver = true;
      resolve(end);
    };
  }

  /** The response for the client. */
  responseLike(response: Response): Response {
    const source = {
      start: (controller: Controller): void => {
        this.#controller = controller;
      },
      pull: async () => this.#pass(),
      cancel: async (reason: unknown) => {
        this.#controller = undefined;
        this.#finish({ open: true });
        await this.#reader.cancel(reason);
      },
    };
    const stream: ReadableStream = this.#isByteStream
      ? new ReadableStream({ ...source, type: "bytes" })
      : new ReadableStream(source);
    return withFacts(new Response(stream, { headers: response.headers }), response);
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
      this.#finish({ error: part.error, ...(this.#signal?.aborted === true && { aborted: true }) });
      this.#controller?.error(part.error);
    } else if (part.done) {
      this.#finish({});
      if (this.#controller !== undefined) closeStream(this.#controller);
      this.#controller = undefined;
    } else {
      if (!this.#isOver) this.parts.push(Buffer.from(part.value));
      this.#controller?.enqueue(part.value);
    }
  }
}

/** Returns true for a stream whose readers may bring their own buffers, as those of network bodies may. */
function isByteStream(body: ReadableStream): boolean {
  try {
    body.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** Closes a stream. A reader that brought its own buffer gets it back. */
export function closeStream(controller: Controller): void {
  controller.close();
  if ("byobRequest" in controller) controller.byobRequest?.respond(0);
}

/** Facts of a response that its constructor doesn't take, or, such as the status 999, not with every value. */
type ResponseFacts = Readonly<Record<"status" | "statusText" | "url" | "redirected" | "type", unknown>>;

/** Adds facts to a response, and to its copies. */
export function withFacts(response: Response, facts: ResponseFacts): Response {
  const { status, statusText, url, redirected, type } = facts;
  const copy = response.clone.bind(response);
  return Object.defineProperties(response, {
    status: { value: status },
    ok: { value: Number(status) >= 200 && Number(status) < 300 },
    statusText: { value: statusText },
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
    clone: { value: () => withFacts(copy(), facts) },
  });
}
