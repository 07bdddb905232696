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
  ["worker_threads", "a worker thread was used"],
  ["child_process", "a process was started"],
]);

/** Context of the traps: the code of the test file that runs now. */
interface Traps {
  here: () => NetworkObserver | undefined;
}

let socketClass: typeof Socket | undefined;

/**
 * Reports connections to the current gate, in this process from now on. A connection without a gate is made as usual.
 * Installed once: the hooks cover all that Node offers, also clients built and sockets opened before. A new process and
 * the use of a worker thread are reported too, because their requests can't be seen from here.
 */
export function interceptNetwork(): void {
  // Loaded once: Node resolves a name again at each import, and every run of a step calls this.
  const sockets = (socketClass ??= process.getBuiltinModule("node:net").Socket);
  const known: unknown = Reflect.get(sockets, KEY);
  if (isTraps(known)) {
    known.here = gateHere;
    return;
  }
  const traps: Traps = { here: gateHere };
  Reflect.set(sockets, KEY, traps);
  trapMethod(sockets.prototype, "connect", { traps, isRefused: isConnectionRefused });
  trapMethod(process.getBuiltinModule("node:dgram").Socket.prototype, "send", { traps, isRefused: isDatagramRefused });
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
function gateHere(): NetworkObserver | undefined {
  const gate = currentNetworkObserver();
  return gate === undefined || isTracingSuppressed() ? undefined : gate;
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

/** Replaces a method: within a run, `isRefused` reports its call first, and returns true if it must not be made. */
function trapMethod(
  owner: object,
  name: string,
  {
    traps,
    isRefused,
  }: { readonly traps: Traps; readonly isRefused: (gate: NetworkObserver, call: TrappedCall) => boolean },
): void {
  const method: unknown = Reflect.get(owner, name);
  if (typeof method !== "function") return;
  const trapped = function trapped(this: unknown, ...args: readonly unknown[]): unknown {
    const gate = traps.here();
    const refused = gate !== undefined && isRefused(gate, { self: this, args, at: callerLocation(trapped) });
    return refused ? this : Reflect.apply(method, this, args);
  };
  Reflect.set(owner, name, trapped);
}

/** New sockets of every kind: `net`, `tls`, `http`, databases. */
function isConnectionRefused(gate: NetworkObserver, { self, args, at }: TrappedCall): boolean {
  const refusal = gate.onConnection(targetOf(args), at);
  // As a connection that fails: later, when its owner listens.
  if (refusal !== undefined && isObject(self)) process.nextTick(() => callMethod(self, "destroy", refusal));
  return refusal !== undefined;
}

/** Datagrams of UDP. */
function isDatagramRefused(gate: NetworkObserver, { self, args, at }: TrappedCall): boolean {
  const refusal = gate.onConnection(datagramTarget(self, args), at);
  const callback = args.at(-1);
  // Without a callback it is lost, as a datagram may be: an event without a listener would end the process.
  if (refusal !== undefined && typeof callback === "function")
    process.nextTick(() => void Reflect.apply(callback, self, [refusal]));
  return refusal !== undefined;
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

/** Worker threads and new processes; the constructor, method or function throws if they are refused. */
function trapStarters(traps: Traps): void {
  const threads = process.getBuiltinModule("node:worker_threads");
  const construct: NonNullable<ProxyHandler<typeof threads.Worker>["construct"]> = (target, args, newTarget) => {
    const refusal = traps.here()?.onConnection("worker_threads", callerLocation(construct));
    if (refusal !== undefined) throw refusal;
    const worker: unknown = Reflect.construct(target, args, newTarget);
    return isObject(worker) ? worker : {};
  };
  const throws = (host: string): ((gate: NetworkObserver, call: TrappedCall) => boolean) => {
    return (gate, { at }) => {
      const refusal = gate.onConnection(host, at);
      if (refusal !== undefined) throw refusal;
      return false;
    };
  };
  // A thread that was started before the step works for it by messages.
  trapMethod(threads.Worker.prototype, "postMessage", { traps, isRefused: throws("worker_threads") });
  threads.Worker = new Proxy(threads.Worker, { construct });
  const processes = process.getBuiltinModule("node:child_process");
  const isRefused = throws("child_process");
  trapMethod(processes.ChildProcess.prototype, "spawn", { traps, isRefused });
  for (const name of ["spawnSync", "execSync", "execFileSync"]) trapMethod(processes, name, { traps, isRefused });
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
function onFetch(message: unknown, gate: NetworkObserver | undefined, at: () => string): void {
  const request: unknown = isObject(message) ? Reflect.get(message, "request") : undefined;
  if (gate === undefined || !isObject(request)) return;
  const origin = String(Reflect.get(request, "origin"));
  const url = parseUrl(origin);
  if (url === undefined) return;
  const refusal = gate.onConnection(hostOfUrl(url), at());
  if (refusal !== undefined) callMethod(request, "onError", refusal);
}

function hostOfUrl({ hostname, port, protocol }: URL): string {
  const usual = protocol === "https:" ? "443" : "80";
  return `${hostname}:${port === "" ? usual : port}`;
}

/** Reports requests of `http` on an existing connection; a new one is reported by its socket. */
function onRequest(message: unknown, gate: NetworkObserver | undefined, at: () => string): void {
  const request: unknown = isObject(message) ? Reflect.get(message, "request") : undefined;
  if (gate === undefined || !isRequest(request)) return;
  const location = at();
  // Clients under test doubles also make requests, and reach no host: only the socket shows the real target.
  request.once("socket", (socket: unknown) => {
    const isOld = Reflect.get(request, "reusedSocket") === true && isObject(socket);
    if (!isOld || !isObject(Reflect.get(socket, "_handle"))) return;
    const port: unknown = Reflect.get(socket, "remotePort");
    const path: unknown = Reflect.get(request, "socketPath");
    const refusal = gate.onConnection(
      typeof path === "string" ? path : hostOf(Reflect.get(request, "host"), port),
      location,
    );
    if (refusal !== undefined) callMethod(request, "destroy", refusal);
  });
}

/** Reports streams of HTTP/2 on an existing session before their body is sent; a new one is reported by its socket. */
function onStream(message: unknown, gate: NetworkObserver | undefined, at: () => string): void {
  const { stream, headers } = isObject(message) ? { stream: undefined, headers: undefined, ...message } : {};
  if (gate === undefined || !isObject(headers)) return;
  const url = parseUrl(`${String(Reflect.get(headers, ":scheme"))}://${String(Reflect.get(headers, ":authority"))}`);
  if (url === undefined) return;
  const refusal = gate.onConnection(hostOfUrl(url), at());
  if (refusal !== undefined) callMethod(stream, "destroy", refusal);
}

function isRequest(value: unknown): value is EventEmitter {
  return isObject(value) && typeof Reflect.get(value, "once") === "function";
}

function callMethod(owner: unknown, name: string, argument: unknown): void {
  const method: unknown = isObject(owner) ? Reflect.get(owner, name) : undefined;
  if (typeof method === "function") Reflect.apply(method, owner, [argument]);
}
