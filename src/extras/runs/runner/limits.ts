import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../../../kernel/json/plain-data.ts";
import type { RetryOptions } from "../../../kernel/step/define-step.ts";
import { mirrorTraps, proxyStub } from "../../../record/proxy/mirror.ts";

/** Default number of attempts at a command, including the first. */
export const DEFAULT_ATTEMPTS = 5;

/** Milliseconds until the next attempt: a random time between half of the doubled wait and all of it. */
export function backoff(attempt: number, { baseMs = 500, maxMs = 60_000 }: RetryOptions, random: () => number): number {
  const whole = Math.min(maxMs, baseMs * 2 ** Math.min(30, attempt - 1));
  return Math.round(whole * (0.5 + random() / 2));
}

/** Rate limit for calls of an adapter. */
export interface Rate {
  readonly perSecond: number;
  /** Number of calls allowed at once after a pause. Default: `perSecond`, at least 1. */
  readonly burst?: number;
}

/** Lets calls pass at a rate, in turn. */
class TokenBucket {
  readonly #rate: Required<Rate>;
  readonly #clock: () => number;
  #tokens: number;
  #at: number;

  constructor({ perSecond, burst = Math.max(1, perSecond) }: Rate, clock: () => number) {
    this.#rate = { perSecond, burst };
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock();
  }

  /** Takes a token. If none is left, it takes the next one and resolves once that is available. */
  async take(): Promise<void> {
    const { perSecond, burst } = this.#rate;
    const now = this.#clock();
    // A clock that was set back must not take away tokens: the next calls would wait for all of that time.
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(burst, this.#tokens + (passed / 1000) * perSecond) - 1;
    this.#at = now;
    if (this.#tokens < 0) await sleep((-this.#tokens / perSecond) * 1000);
  }
}

/**
 * Returns the adapters with rate limits applied. Each call of any of an adapter's functions, however deep, waits for
 * its turn and so returns a promise.
 */
export function limitRates(
  adapters: object,
  rates: Readonly<Record<string, Rate>>,
  clock: () => number,
): Readonly<Record<string, unknown>> {
  const limited: Record<string, unknown> = { ...adapters };
  for (const [name, rate] of Object.entries(rates)) {
    const adapter = limited[name];
    if ((typeof adapter !== "object" || adapter === null) && typeof adapter !== "function")
      throw new TypeError(
        `rates: "${name}" isn't an adapter. Use one of these adapters: ${Object.keys(adapters).join(", ")}.`,
      );
    limited[name] = slowed(adapter, new TokenBucket(rate, clock));
  }
  return limited;
}

/** Returns a proxy whose functions wait for the bucket. They're called on `owner`, if they are members of one. */
function slowed(original: object, bucket: TokenBucket, owner?: object): object {
  const read = (key: string | symbol): unknown => {
    const member: unknown = Reflect.get(original, key, original);
    return isObject(member) || typeof member === "function" ? slowed(member, bucket, original) : member;
  };
  return new Proxy(proxyStub(original), {
    ...mirrorTraps(original, read),
    async apply(_stub, self, args) {
      await bucket.take();
      const answer: unknown = typeof original === "function" ? Reflect.apply(original, owner ?? self, args) : undefined;
      return answer;
    },
    construct(_stub, args) {
      const made: unknown = typeof original === "function" ? Reflect.construct(original, args) : undefined;
      return isObject(made) ? made : {};
    },
  });
}
