import { matchesName } from "../../kernel/matches-name.ts";
import { quote } from "../../kernel/text.ts";
import { projectSettings } from "../../redact/current-redactor.ts";
import { interceptNetwork } from "./network-interceptors.ts";
import type { NetworkObserver } from "./recording-scope.ts";

/** A host that a step reached past its adapters and tapes. Untrusted text. */
export interface NetworkAccess {
  /** `api.openai.com:443`, or the path of a socket. */
  readonly host: string;
  /** Where: `file:line:column` of the nearest caller that is not in a package; empty when there is none. */
  readonly at: string;
  /** True where it was not let through. */
  readonly blocked: boolean;
}

/** Hosts that are noted of one run. */
const MAX_REACHED = 20;

/**
 * The way of one run to the network, past its adapters and tapes. It is noted; where `isShut`, only hosts that the
 * project allows are let through: the answer of any other is in no recording.
 */
export class NetworkAccessLog implements NetworkObserver {
  readonly isBlocked: boolean;
  #reached: Map<string, NetworkAccess> | undefined;

  constructor(isShut: boolean) {
    this.isBlocked = isShut;
    interceptNetwork();
  }

  /** What was reached so far, each place of each host once; without a place only where none is known of its host. */
  reached(): readonly NetworkAccess[] {
    const reached = this.#reached === undefined ? [] : [...this.#reached.values()];
    // A request tells its caller, the socket that is opened for it later does not.
    return reached.filter(
      ({ host, at }) => at !== "" || !reached.some((other) => other.host === host && other.at !== ""),
    );
  }

  /** Notes a connection; the error it ends in where it may not be made. */
  onConnection(host: string, at: string): Error | undefined {
    const refused = this.isBlocked && !isAllowed(host);
    const reach = { host, at, blocked: refused };
    const reached = (this.#reached ??= new Map<string, NetworkAccess>());
    // One that is refused is told first: it must not be lost among others.
    if (reached.size < MAX_REACHED || refused) reached.set(`${host} ${at}`, reach);
    return refused ? new NetworkRefusedError(reach) : undefined;
  }
}

/** What a connection ends in that a step makes by itself while recorded answers are served. */
class NetworkRefusedError extends Error {
  override readonly name = "NetworkRefusedError";
  /** No client takes this for a fault of the network that passes. */
  readonly code = "ERR_VERITEST_NETWORK";

  constructor(reach: NetworkAccess) {
    super(blockedMessage(reach, reach.at));
  }
}

/** Says what was refused, and what to do; `at` is the place as it is to be shown. */
export function blockedMessage({ host }: Pick<NetworkAccess, "host">, at: string): string {
  const place = at === "" ? "" : ` (${at})`;
  const cure = isLocal(nameOf(host)) ? "local: true" : `allow: [${quote(nameOf(host))}]`;
  return (
    `${host} was reached past adapters and tapes${place} where recorded answers are served, and was not let through: ` +
    "no recording holds what it answers. Ask through an adapter or a tape, or let it through in the configuration: " +
    `network: { ${cure} }`
  );
}

function isAllowed(host: string): boolean {
  const { allow, local } = projectSettings().network;
  const name = nameOf(host);
  return (local && isLocal(name)) || allow.some((pattern) => matchesName(pattern, name) || matchesName(pattern, host));
}

/** This machine: what tests start by themselves. */
function isLocal(name: string): boolean {
  return (
    /[/\\]/.test(name) ||
    /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|::|::1|::ffff:127(?:\.\d+){3})$/.test(name)
  );
}

/** A host without its port. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
}
