import { matchesName } from "../../kernel/matches-name.ts";
import { quote } from "../../kernel/text.ts";
import { projectSettings } from "../../redact/project-settings.ts";
import { STARTERS, interceptNetwork } from "./network-interceptors.ts";
import { hasFetchRecorder } from "./recorders.ts";
import type { NetworkObserver } from "./recording-scope.ts";

/** Host that a step reached outside of its adapters and recorders. Its text is untrusted, so escape it in output. */
export interface NetworkAccess {
  /** `api.openai.com:443`, or the path of a socket. */
  readonly host: string;
  /** Location of the caller, `file:line:column`: the nearest one that is not in a package, or empty. */
  readonly at: string;
  /** True if the connection was blocked. */
  readonly blocked: boolean;
}

/** Hosts that are noted of one run. */
const MAX_REACHED = 20;

/**
 * Decides about the network access of one run outside of its adapters and recorders, and logs it. `interceptNetwork`
 * calls `onConnection` before each connection. If `isBlocked`, as in a replay (`CallReplayer`), only hosts that the
 * project allows are reached: the recording doesn't have other responses. `blockedNetworkError` fails the run by the
 * log, even if the step caught the connection's error.
 */
export class NetworkGuard implements NetworkObserver {
  readonly isBlocked: boolean;
  #reached: Map<string, NetworkAccess> | undefined;

  constructor(isBlocked: boolean) {
    this.isBlocked = isBlocked;
    interceptNetwork();
  }

  /** The reached hosts so far, each location of a host once; without a location only if the host has none. */
  reached(): readonly NetworkAccess[] {
    const reached = this.#reached === undefined ? [] : [...this.#reached.values()];
    // A request knows its caller; the socket that is opened for it later does not.
    return reached.filter(
      ({ host, at }) => at !== "" || !reached.some((other) => other.host === host && other.at !== ""),
    );
  }

  /** Logs a connection; returns the error it fails with if it is blocked. */
  onConnection(host: string, at: string): Error | undefined {
    const blocked = this.isBlocked && !isAllowed(host);
    const reach = { host, at, blocked };
    const reached = (this.#reached ??= new Map<string, NetworkAccess>());
    // A blocked connection is listed first: it must not be lost among others.
    if (reached.size < MAX_REACHED || blocked) reached.set(`${host} ${at}`, reach);
    return blocked ? new NetworkRefusedError(reach) : undefined;
  }
}

/** Error of a connection that a step opens outside of its adapters while responses are replayed. */
class NetworkRefusedError extends Error {
  override readonly name = "NetworkRefusedError";
  /** No client takes this for a fault of the network that passes. */
  readonly code = "ERR_VERITEST_NETWORK";

  constructor(reach: NetworkAccess) {
    super(blockedMessage(reach, reach.at));
  }
}

/** Returns the rest of a sentence that begins with "To record it," or "To record them,". */
export function waysToRecord(): string {
  return hasFetchRecorder()
    ? `set axios's option adapter: "fetch", or pass another client that doesn't use fetch as an adapter. ` +
        "A client that uses fetch must be created after the recorder of fetch is installed"
    : 'use veritest({ fetch: true }) in Vitest, setupFiles: ["veritest/fetch-setup"] in Jest, ' +
        "or an adapter if the client doesn't use fetch";
}

/** Explains which connection was blocked, and how to fix it; `at` is the location to show. */
export function blockedMessage({ host }: Pick<NetworkAccess, "host">, at: string): string {
  const location = at === "" ? "" : ` (${at})`;
  const started = STARTERS.get(host);
  if (started !== undefined)
    return (
      `veritest blocked ${started}${location}, because its requests would be live during a replay. ` +
      `Do its work in an adapter. To allow it, set network: { allow: [${quote(host)}] } in veritest.config`
    );
  const cure = isLocalHost(host) ? "local: true" : `allow: [${quote(nameOf(host))}]`;
  return (
    `veritest blocked a connection to ${host}${location}. A replay only allows recorded requests, and this one ` +
    `isn't recorded. To record it, ${waysToRecord()}. ` +
    `To allow it, set network: { ${cure} } in veritest.config`
  );
}

function isAllowed(host: string): boolean {
  const { allow, local } = projectSettings().network;
  const name = nameOf(host);
  return (
    (local && isLocalHost(host)) || allow.some((pattern) => matchesName(pattern, name) || matchesName(pattern, host))
  );
}

/** Returns true for a host on this machine, such as a server that a test starts. */
export function isLocalHost(host: string): boolean {
  const name = nameOf(host);
  return (
    /[/\\]/.test(name) ||
    /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|::|::1|::ffff:127(?:\.\d+){3})$/.test(name)
  );
}

/** A host without its port. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
}
