import { fitsName } from "../../kernel/fits-name.ts";
import { quote } from "../../kernel/text.ts";
import { projectSettings } from "../../redact/current-redactor.ts";
import { trapNetwork } from "./network-traps.ts";
import type { NetworkGate } from "./recording-scope.ts";

/** A host that a step reached past its adapters and tapes. Untrusted text. */
export interface NetworkReach {
  /** `api.openai.com:443`, or the path of a socket. */
  readonly host: string;
  /** Where: `file:line:column` of the nearest caller that is not in a package; empty when there is none. */
  readonly at: string;
  /** True where it was not let through. */
  readonly refused: boolean;
}

/** Hosts that are noted of one run. */
const MAX_REACHED = 20;

/**
 * The way of one run to the network, past its adapters and tapes. It is noted; where `isShut`, only hosts that the
 * project allows are let through: the answer of any other is in no recording.
 */
export class OpenNetwork implements NetworkGate {
  readonly isShut: boolean;
  #reached: Map<string, NetworkReach> | undefined;

  constructor(isShut: boolean) {
    this.isShut = isShut;
    trapNetwork();
  }

  /** What was reached so far, each place of each host once; without a place only where none is known of its host. */
  reached(): readonly NetworkReach[] {
    const reached = this.#reached === undefined ? [] : [...this.#reached.values()];
    // A request tells its caller, the socket that is opened for it later does not.
    return reached.filter(
      ({ host, at }) => at !== "" || !reached.some((other) => other.host === host && other.at !== ""),
    );
  }

  /** Notes a connection; the error it ends in where it may not be made. */
  meet(host: string, at: string): Error | undefined {
    const refused = this.isShut && !isAllowed(host);
    const reach = { host, at, refused };
    const reached = (this.#reached ??= new Map<string, NetworkReach>());
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

  constructor(reach: NetworkReach) {
    super(refusalOf(reach, reach.at));
  }
}

/** Says what was refused, and what to do; `at` is the place as it is to be shown. */
export function refusalOf({ host }: Pick<NetworkReach, "host">, at: string): string {
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
  return (local && isLocal(name)) || allow.some((pattern) => fitsName(pattern, name) || fitsName(pattern, host));
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
