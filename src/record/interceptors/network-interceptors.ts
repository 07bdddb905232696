import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { parseUrl } from "../../kernel/parse-url.ts";
import { isObject } from "../../kernel/json/plain-data.ts";
import { isTracingSuppressed } from "../../kernel/telemetry/span-context.ts";
import { callerLocation } from "../../kernel/stack-locations.ts";
import { type NetworkObserver, currentNetworkObserver } from "./recording-scope.ts";

/** Key on the class of all sockets: Jest gives each test file its own globals, but one network to all. */
const KEY = Symbol.for("veritest.network");

/** Modules whose names stand for a host: the requests of what they start can't be seen from here. */
export const STARTERS: ReadonlyMap<string, string> = new Map([
  ["worker_threads", "a worker thread"],
  ["child_process", "a child process"],
]);

/** Context of the traps: the code of the test file that runs now. */
interface Traps {
  here: () => NetworkObserver | undefined;
}

let socketClass: typeof Socket | undefined;

/**
 * Reports connections to the current guard, in this process from now on. A connection without a guard is made as usual.
 * Installed once: the hooks cover all that Node offers, also clients built and sockets opened before. A new process and
 * the use of a worker thread are reported too, because their requests can't be seen from here.
 */
export function interceptNetwork(): void {
  // Loaded once: Node resolves a name again at each import, and every run of a step calls this.
  const sockets = (socketClass ??= process.getBuiltinModule("node:net").Socket);
  const known: unknown = Reflect.get(sockets, KEY);
  if (isTraps(known)) {
    known.here = guardHere;
    return;
  }
  const traps: Traps = { here: guardHere };
  Reflect.set(sockets, KEY, traps);
  trapMethod(sockets.prototype, "connect", { traps, isBlocked: isConnectionBlocked });
  trapMethod(process.getBuiltinModule("node:dgram").Socket.prototype, "send", { traps, isBlocked: isDatagramBlocked });
  trapStarters(traps);
  const { subscribe } = process.getBuiltinModule("node:diagnostics_channel");
  const fetching = (message: unknown): void => onFetch(message, traps.here(), () => callerLocation(fetching));
  const requesting = (message: unknown): void => onRequest(message, traps.here(), () => callerLocation(requesting));
  subscribe("undici:request:create", fetching);
  subscribe("http.client.request.created", requesting);
  const streaming = (message: unknown): void => onStream(message, traps.here(), () => callerLocation(streaming));
  subscribe("http2.client.stream.start", streaming);
}

/** An exporter of traces sends what it has when a timer rings that a step's span has started. */
function guardHere(): NetworkObserver | undefined {
  const guard = currentNetworkObserver();
  return guard === undefined || isTracingSuppressed() ? undefined : guard;
}

function isTraps(value: unknown): value is Traps {
  return isObject(value) && typeof Reflect.get(value, "here") === "function";
}

/** Call of a trapped method. */
interface TrappedCall {
  readonly self: unknown;
  readonly args: readonly unknown[];
  /** Location of the caller. */
  readonly at: string;
}

/** Replaces a method: within a run, `isBlocked` reports its call first, and returns true if it must not be made. */
function trapMethod(
  owner: object,
  name: string,
  {
    traps,
    isBlocked,
  }: { readonly traps: Traps; readonly isBlocked: (guard: NetworkObserver, call: TrappedCall) => boolean },
): void {
  const method: unknown = Reflect.get(owner, name);
  if (typeof method !== "function") return;
  const trapped = function trapped(this: unknown, ...args: readonly unknown[]): unknown {
    const guard = traps.here();
    const blocked = guard !== undefined && isBlocked(guard, { self: this, args, at: callerLocation(trapped) });
    return blocked ? this : Reflect.apply(method, this, args);
  };
  Reflect.set(owner, name, trapped);
}

/** New sockets of every kind: `net`, `tls`, `http`, databases. */
function isConnectionBlocked(guard: NetworkObserver, { self, args, at }: TrappedCall): boolean {
  const error = guard.onConnection(targetOf(args), at);
  // As a connection that fails: later, when its owner listens.
  if (error !== undefined && isObject(self)) process.nextTick(() => callMethod(self, "destroy", error));
  return error !== undefined;
}

/** Datagrams of UDP. */
function isDatagramBlocked(guard: NetworkObserver, { self, args, at }: TrappedCall): boolean {
  const error = guard.onConnection(datagramTarget(self, args), at);
  const callback = args.at(-1);
  // Without a callback it is lost, as a datagram may be: an event without a listener would end the process.
  if (error !== undefined && typeof callback === "function")
    process.nextTick(() => void Reflect.apply(callback, self, [error]));
  return error !== undefined;
}

/** Target of a connected socket, or the one that `send` was called with, after the message. */
function datagramTarget(socket: unknown, [, ...args]: readonly unknown[]): string {
  const isSocket = socket instanceof process.getBuiltinModule("node:dgram").Socket;
  try {
    const { address, port } = isSocket ? socket.remoteAddress() : { address: undefined, port: 0 };
    return hostOf(address, port);
  } catch {
    const port = args.findLast((arg) => typeof arg === "number");
    return hostOf(
      args.find((arg) => typeof arg === "string"),
      port,
    );
  }
}

/** Worker threads and new processes; the constructor, method or function throws if they are blocked. */
function trapStarters(traps: Traps): void {
  const threads = process.getBuiltinModule("node:worker_threads");
  const construct: NonNullable<ProxyHandler<typeof threads.Worker>["construct"]> = (target, args, newTarget) => {
    const error = traps.here()?.onConnection("worker_threads", callerLocation(construct));
    if (error !== undefined) throw error;
    const worker: unknown = Reflect.construct(target, args, newTarget);
    return isObject(worker) ? worker : {};
  };
  const throws = (host: string): ((guard: NetworkObserver, call: TrappedCall) => boolean) => {
    return (guard, { at }) => {
      const error = guard.onConnection(host, at);
      if (error !== undefined) throw error;
      return false;
    };
  };
  // A thread that was started before the step works for it by messages.
  trapMethod(threads.Worker.prototype, "postMessage", { traps, isBlocked: throws("worker_threads") });
  threads.Worker = new Proxy(threads.Worker, { construct });
  const processes = process.getBuiltinModule("node:child_process");
  const isBlocked = throws("child_process");
  trapMethod(processes.ChildProcess.prototype, "spawn", { traps, isBlocked });
  for (const name of ["spawnSync", "execSync", "execFileSync"]) trapMethod(processes, name, { traps, isBlocked });
  process.getBuiltinModule("node:module").syncBuiltinESMExports();
}

/** Target that `connect` was called with: a port and a host, a path, or options, which Node passes in a list. */
function targetOf([first, second]: readonly unknown[]): string {
  const options: unknown = Array.isArray(first) ? first[0] : first;
  if (typeof options === "string" && !/^\d+$/.test(options)) return options;
  if (!isObject(options)) return hostOf(second, options);
  const path: unknown = Reflect.get(options, "path");
  return typeof path === "string" ? path : hostOf(Reflect.get(options, "host"), Reflect.get(options, "port"));
}

function hostOf(host: unknown, port: unknown): string {
  const name = typeof host === "string" && host !== "" ? host : "localhost";
  return `${name.includes(":") ? `[${name}]` : name}:${String(port)}`;
}

/** Requests of `fetch`, and of any client that undici is below, also on a connection that was there. */
function onFetch(message: unknown, guard: NetworkObserver | undefined, at: () => string): void {
  const request: unknown = isObject(message) ? Reflect.get(message, "request") : undefined;
  if (guard === undefined || !isObject(request)) return;
  const origin = String(Reflect.get(request, "origin"));
  const url = parseUrl(origin);
  if (url === undefined) return;
  const error = guard.onConnection(hostOfUrl(url), at());
  if (error !== undefined) callMethod(request, "onError", error);
}

function hostOfUrl({ hostname, port, protocol }: URL): string {
  const usual = protocol === "https:" ? "443" : "80";
  return `${hostname}:${port === "" ? usual : port}`;
}

/** Reports requests of `http` on an existing connection; a new one is reported by its socket. */
function onRequest(message: unknown, guard: NetworkObserver | undefined, at: () => string): void {
  const request: unknown = isObject(message) ? Reflect.get(message, "request") : undefined;
  if (guard === undefined || !isRequest(request)) return;
  const location = at();
  // Clients under test doubles also make requests, and reach no host: only the socket shows the real target.
  request.once("socket", (socket: unknown) => {
    const isOld = Reflect.get(request, "reusedSocket") === true && isObject(socket);
    if (!isOld || !isObject(Reflect.get(socket, "_handle"))) return;
    const port: unknown = Reflect.get(socket, "remotePort");
    const path: unknown = Reflect.get(request, "socketPath");
    const error = guard.onConnection(
      typeof path === "string" ? path : hostOf(Reflect.get(request, "host"), port),
      location,
    );
    if (error !== undefined) callMethod(request, "destroy", error);
  });
}

/** Reports streams of HTTP/2 on an existing session before their body is sent; a new one is reported by its socket. */
function onStream(message: unknown, guard: NetworkObserver | undefined, at: () => string): void {
  const { stream, headers } = isObject(message) ? { stream: undefined, headers: undefined, ...message } : {};
  if (guard === undefined || !isObject(headers)) return;
  const url = parseUrl(`${String(Reflect.get(headers, ":scheme"))}://${String(Reflect.get(headers, ":authority"))}`);
  if (url === undefined) return;
  const error = guard.onConnection(hostOfUrl(url), at());
  if (error !== undefined) callMethod(stream, "destroy", error);
}

function isRequest(value: unknown): value is EventEmitter {
  return isObject(value) && typeof Reflect.get(value, "once") === "function";
}

function callMethod(owner: unknown, name: string, argument: unknown): void {
  const method: unknown = isObject(owner) ? Reflect.get(owner, name) : undefined;
  if (typeof method === "function") Reflect.apply(method, owner, [argument]);
}
