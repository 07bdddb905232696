import type { Result } from "../base/result.ts";
import { type Lock, acquireLock } from "../settle/lock.ts";

const POLL_MS = 50;
const WAIT_MS = 10_000;

/**
 * Takes the lock under which a project's baselines change, so that none does while a commit comes to the checkout.
 * Waits by turns of the event loop: another run of this very process may hold it, and Ctrl-C must come through.
 */
export async function lockProject(state: string): Promise<Result<Lock, string>> {
  for (let waited = 0; ; waited += POLL_MS) {
    const lock = acquireLock(state, 0);
    if (lock.ok || waited >= WAIT_MS) return lock;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
