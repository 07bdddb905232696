import { type Result, ok } from "../../../kernel/result.ts";
import type { CommandRow, RunStore } from "../store/contract.ts";
import type { StoreError } from "../store/store-error.ts";

const LEASE_MS = 300_000;

/** Options of a worker's leases. */
export interface LeaseOptions {
  /** Name of the worker. */
  readonly owner: string;
  /** Duration of a lease in milliseconds. Default: five minutes. */
  readonly leaseMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Leases of one worker on commands. A lease is renewed until its command ends; if its worker ends first, another worker
 * reclaims the command. When a lease has ended is decided in the store: `reclaim` of sql-statements.ts and
 * memory-commands.ts.
 *
 * A worker that was suspended longer than its lease loses it without notice: both workers then run the command. Each
 * step of a run is committed once, so the second result changes nothing, and the worker that no longer holds
 * the lease gets `lease_mismatch` when it marks the command.
 */
export class WorkerLeases {
  readonly #outbox: RunStore["outbox"];
  readonly #owner: string;
  readonly #leaseMs: number;
  readonly #clock: () => number;
  #maintained = 0;

  constructor(outbox: RunStore["outbox"], { owner, leaseMs = LEASE_MS, clock }: LeaseOptions) {
    this.#outbox = outbox;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
    this.#clock = clock;
  }

  /** Maximum milliseconds between two calls of `renew`. */
  get renewalMs(): number {
    return this.#leaseMs / 4;
  }

  /** Leases up to `limit` pending commands. */
  lease(limit: number): Promise<Result<readonly CommandRow[], StoreError>> {
    return this.#outbox.lease({ owner: this.#owner, limit, leaseMs: this.#leaseMs });
  }

  /** Renews the leases on these commands. */
  async renew(keys: readonly string[]): Promise<Result<unknown, StoreError>> {
    return keys.length === 0 ? ok(undefined) : this.#outbox.renew({ owner: this.#owner, keys, leaseMs: this.#leaseMs });
  }

  /** Renews the leases on these commands and reclaims those of ended workers, four times per lease duration at most. */
  async maintain(keys: readonly string[]): Promise<readonly Result<unknown, StoreError>[]> {
    if (this.#clock() - this.#maintained < this.renewalMs) return [];
    this.#maintained = this.#clock();
    return [await this.renew(keys), await this.#outbox.reclaim()];
  }
}
