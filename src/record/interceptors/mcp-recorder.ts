import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { recordIn, recordsIn } from "../../kernel/json/read-data.ts";
import { refuseUnknownOptions, refuseUnknownWord } from "../../kernel/did-you-mean.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { readBound } from "../proxy/mirror.ts";
import { isConnectionLost } from "../replay/injected-end.ts";
import { LIST_OF_TOOLS } from "../adapter-call.ts";
import { advisedError, closedResponse, isUnreplayedConnect } from "./mcp-advice.ts";
import { type ToolUse, currentInterceptors } from "./recording-scope.ts";
import { registerRecorder } from "./recorders.ts";
import { toolRecorder } from "./tool-recorder.ts";
import type { ToolFacts } from "./tool-mark.ts";

/** Options for {@link recordTransport}. */
export interface RecordTransportOptions {
  /** Prefix of the names of the server's tools, for steps that use several servers: `tools.<name>.<tool>`. */
  readonly name?: string;
  /** Effects of tools by name. They override the server's annotations. `*` is for tools with neither. */
  readonly effects?: Readonly<Record<string, ToolFacts["role"]>>;
  /** Stubs for writes that are skipped, by the tool's name: each returns the result of the call. */
  readonly stubs?: Readonly<Record<string, (input: never) => unknown>>;
  /**
   * Also request the server's list of tools in a replay, and compare it with the recorded list. This sends a request to
   * the server. Default: false, which compares the list only in live runs.
   */
  readonly compareTools?: boolean;
}

/** A transport of an MCP client, with as much of its types as is used here. */
interface Transport {
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
}

/** A request of JSON-RPC. */
interface Request {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

type Receive = (message: unknown, ...more: readonly unknown[]) => void;

/** Methods by which the server describes itself: the same for every client, and not calls of a step. */
const FACT = /^(?:initialize|ping|server\/discover|logging\/setLevel|(?:[a-z]+\/)+list)$/;

/** The code of JSON-RPC for an error inside the server. */
const INTERNAL_ERROR = -32603;

/**
 * Records and replays the requests of an MCP client: calls of tools as `tools.<name>`, and other requests by their
 * method. Pass the returned transport to the client instead of your own. It works with every transport of the MCP SDK 1
 * and 2 and of `@ai-sdk/mcp` (stdio, HTTP, in memory).
 *
 * The server's annotations decide if a tool counts as a read or a write. veritest connects to the server at the first
 * live request, so a replay never connects. Outside of recorded runs, all requests go to the server, so connect inside
 * the step. Notifications, and requests of the server to the client (sampling, elicitation), aren't recorded.
 *
 * @example
 * await client.connect(recordTransport(new StdioClientTransport({ command: "crm-server" })));
 */
export function recordTransport<T extends object>(transport: T, options: RecordTransportOptions = {}): T {
  if (!isTransport(transport))
    throw new TypeError("recordTransport needs the transport of an MCP client, with start, send, close and onmessage.");
  refuseUnknownOptions("recordTransport", options, ["name", "effects", "stubs", "compareTools"]);
  for (const [tool, effect] of Object.entries(options.effects ?? {}))
    refuseUnknownWord(`recordTransport: effects[${JSON.stringify(tool)}]`, effect, ["read", "write"]);
  registerRecorder("tools", toolRecorder);
  const recorder = new TransportRecorder(transport, options);
  const own: Readonly<Record<string, unknown>> = {
    start: async () => undefined,
    send: async (message: unknown, more?: unknown) => recorder.send(message, more),
    close: async () => recorder.close(),
  };
  return new Proxy(transport, {
    get(target, key) {
      if (typeof key === "string" && Object.hasOwn(own, key)) return own[key];
      if (key === "onmessage") return recorder.receive;
      // Transports keep private fields: their methods are to find themselves.
      return readBound(target, key);
    },
    set(target, key, value) {
      if (key === "onmessage") recorder.receive = isReceive(value) ? value : undefined;
      else Reflect.set(target, key, value);
      return true;
    },
  });
}

class TransportRecorder {
  readonly #inner: Transport;
  readonly #options: RecordTransportOptions;
  readonly #pending = new Map<unknown, PromiseWithResolvers<unknown>>();
  /** Known facts of the server, by path. */
  readonly #facts = new Map<string, unknown>();
  /** The current lists of tools, by path, if they are compared in a replay. */
  readonly #lists = new Map<string, unknown>();
  #live: Promise<void> | undefined;
  /** The client's own first message, for a server that was not there when it was sent. */
  #hello: Request | undefined;
  #requestCount = 0;
  receive: Receive | undefined;

  constructor(inner: Transport, options: RecordTransportOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  async send(message: unknown, more: unknown): Promise<void> {
    const request = requestIn(message);
    if (request !== undefined) {
      if (request.method === "initialize") this.#hello = request;
      // Not waited for: a transport has sent when the message is on its way.
      void this.#respond(request, async () => this.#send(message, { request, more }));
      return;
    }
    // If all responses are recorded, the server isn't running, so it isn't notified.
    if (this.#live === undefined) return;
    await this.#live;
    if (!isInitialized(message) || this.#greeted !== true) await this.#inner.send(message, more);
  }

  /** True once the handshake was made here, for the client. */
  #greeted: boolean | undefined;

  async close(): Promise<void> {
    const gone = new Error("The connection was closed before the response.");
    for (const { reject } of this.#pending.values()) reject(gone);
    this.#pending.clear();
    if (this.#live === undefined) {
      this.#tellClosed();
      return;
    }
    this.#live = undefined;
    this.#greeted = undefined;
    await this.#inner.close();
  }

  #tellClosed(): void {
    const closed: unknown = Reflect.get(this.#inner, "onclose");
    if (typeof closed === "function") Reflect.apply(closed, this.#inner, []);
  }

  async #respond(request: Request, send: () => Promise<unknown>): Promise<void> {
    const { id } = request;
    try {
      this.receive?.({ jsonrpc: "2.0", id, result: await this.#result(request, send) });
    } catch (thrown) {
      if (isConnectionLost(thrown)) this.#tellClosed();
      else {
        const error = errorOf(isUnreplayedConnect(request.method) ? advisedError(thrown) : thrown);
        this.receive?.({ jsonrpc: "2.0", id, error });
      }
    }
  }

  async #result(request: Request, send: () => Promise<unknown>): Promise<unknown> {
    const { method, params } = request;
    if (FACT.test(method)) return this.#fact(factPath(this.#options.name, request), send);
    const { tools } = currentInterceptors();
    if (tools === undefined) return send();
    await this.#tellFacts();
    const name = method === "tools/call" ? String(params["name"]) : method;
    const input = method === "tools/call" ? (params["arguments"] ?? {}) : without(params, "_meta");
    const use: ToolUse = { facts: await this.#factsOf(name, method), args: [input], run: send };
    return tools(use);
  }

  /** Facts about the server, recorded with each run that uses it, whichever run requested them first. */
  async #fact(path: string, send: () => Promise<unknown>): Promise<unknown> {
    const { facts } = currentInterceptors();
    const isCompared = this.#options.compareTools === true && LIST_OF_TOOLS.test(path);
    const known = async (): Promise<unknown> => {
      const value = await send();
      this.#facts.set(path, value);
      if (isCompared) this.#lists.set(path, value);
      return value;
    };
    const value = await (facts === undefined ? known() : facts(path, known, isCompared));
    this.#facts.set(path, value);
    return value;
  }

  async #tellFacts(): Promise<void> {
    const { facts } = currentInterceptors();
    for (const [path, value] of this.#facts) {
      const list = this.#lists.get(path);
      await facts?.(path, async () => list ?? value, list !== undefined);
    }
  }

  async #factsOf(tool: string, method: string): Promise<ToolFacts> {
    const { name, effects = {}, stubs = {} } = this.#options;
    const stub = Object.hasOwn(stubs, tool) ? stubs[tool] : undefined;
    const own = Object.hasOwn(effects, tool) ? effects[tool] : undefined;
    const role = own ?? (await this.#roleOf(tool, method)) ?? effects["*"];
    return {
      name: name === undefined ? tool : `${name}.${tool}`,
      role: role ?? "write",
      isUndeclared: role === undefined,
      ...(stub !== undefined && {
        stub: (...args: readonly unknown[]): unknown => Reflect.apply(stub, undefined, args),
      }),
    };
  }

  /**
   * Effect of a tool by the server's annotations; undefined without them. If the list wasn't requested yet, this
   * requests it: an unknown write must not run.
   */
  async #roleOf(tool: string, method: string): Promise<ToolFacts["role"] | undefined> {
    if (method !== "tools/call") return "read";
    const list: Request = { id: this.#nextId(), method: "tools/list", params: {} };
    const path = factPath(this.#options.name, list);
    const listed = this.#facts.has(path)
      ? this.#facts.get(path)
      : await this.#fact(path, async () => this.#send(rpcOf(list), { request: list, more: undefined })).catch(
          // A server without a list of tools has no annotations.
          (thrown: unknown) => {
            if (this.#options.compareTools === true) throw thrown;
          },
        );
    const pages = [listed, ...[...this.#facts].filter(([key]) => key.startsWith(`${path}(`)).map(([, page]) => page)];
    const match = pages.flatMap(toolsIn).find((entry) => entry["name"] === tool);
    const annotations = recordIn(match?.["annotations"]);
    if (annotations["readOnlyHint"] === true) return "read";
    return annotations["destructiveHint"] === true || annotations["readOnlyHint"] === false ? "write" : undefined;
  }

  #nextId(): string {
    this.#requestCount += 1;
    return `veritest-${this.#requestCount}`;
  }

  /** Sends a request to the server. */
  async #send(
    message: unknown,
    { request, more }: { readonly request: Request; readonly more: unknown },
  ): Promise<unknown> {
    if (isUnreplayedConnect(request.method)) this.#adviseOnEnd(request.id);
    await this.#open(request.method);
    return this.#request(message, { id: request.id, more });
  }

  async #request(
    message: unknown,
    { id, more }: { readonly id: string | number; readonly more?: unknown },
  ): Promise<unknown> {
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    try {
      await (more === undefined ? this.#inner.send(message) : this.#inner.send(message, more));
    } catch (thrown) {
      this.#pending.delete(id);
      throw thrown;
    }
    return pending.promise;
  }

  /** Opens the server, and initializes it if the client was initialized with a recorded response. */
  async #open(method: string): Promise<void> {
    this.#live ??= this.#start(method);
    await this.#live;
  }

  async #start(method: string): Promise<void> {
    const receive: Receive = (message, ...rest) => this.#received(message, rest);
    Reflect.set(this.#inner, "onmessage", receive);
    await this.#inner.start();
    if (method === "initialize" || this.#hello === undefined) return;
    const hello = { ...this.#hello, id: this.#nextId() };
    await this.#request(rpcOf(hello), hello);
    await this.#inner.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    this.#greeted = true;
  }

  #adviseOnEnd(id: string | number): void {
    const closed: unknown = Reflect.get(this.#inner, "onclose");
    Reflect.set(this.#inner, "onclose", () => {
      if (this.#pending.delete(id)) this.receive?.(closedResponse(id));
      if (typeof closed === "function") Reflect.apply(closed, this.#inner, []);
    });
  }

  #received(message: unknown, rest: readonly unknown[]): void {
    const pending = isPlainObject(message) && !("method" in message) ? this.#pending.get(message["id"]) : undefined;
    if (pending === undefined || !isPlainObject(message)) {
      this.receive?.(message, ...rest);
      return;
    }
    this.#pending.delete(message["id"]);
    if ("error" in message) pending.reject(thrownOf(message["error"]));
    else pending.resolve(message["result"]);
  }
}

function requestIn(message: unknown): Request | undefined {
  if (!isPlainObject(message)) return undefined;
  const { id, method, params } = message;
  if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return undefined;
  return { id, method, params: recordIn(params) };
}

function rpcOf({ id, method, params }: Request): object {
  return { jsonrpc: "2.0", id, method, params };
}

function isInitialized(message: unknown): boolean {
  return isPlainObject(message) && message["method"] === "notifications/initialized";
}

/** The path of a fact: its method, and the requested page. */
function factPath(name: string | undefined, { method, params }: Request): string {
  const page = typeof params["cursor"] === "string" ? `(${params["cursor"]})` : "";
  return `tools.${name === undefined ? "" : `${name}.`}${method}${page}`;
}

function toolsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return recordsIn(recordIn(list)["tools"]);
}

function without(params: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(params).filter(([key]) => key !== name));
}

/** An error of JSON-RPC as an Error, for recordings. */
function thrownOf(error: unknown): Error {
  const { code, message, data } = recordIn(error);
  return Object.assign(new Error(typeof message === "string" ? message : "The server responded with an error."), {
    code: typeof code === "number" ? code : INTERNAL_ERROR,
    ...(data !== undefined && { data }),
  });
}

/** The same error as JSON-RPC has it. */
function errorOf(thrown: unknown): { readonly code: number; readonly message: string; readonly data?: unknown } {
  const fields = typeof thrown === "object" && thrown !== null ? { ...thrown } : {};
  const code = "code" in fields && typeof fields.code === "number" ? fields.code : INTERNAL_ERROR;
  return { code, message: messageOf(thrown), ...("data" in fields && { data: fields.data }) };
}

function isReceive(value: unknown): value is Receive {
  return typeof value === "function";
}

function isTransport(value: object): value is Transport {
  return ["start", "send", "close"].every((name) => typeof Reflect.get(value, name) === "function");
}
