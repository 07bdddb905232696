import { isObject } from "../json/plain-data.ts";
import { otelApi, quietly } from "./otel.ts";

/** How long a test file, or a command, waits for its spans to be handed over, in milliseconds. */
const AT_MOST_MS = 40;

/**
 * Hands over what was traced and measured before a worker or a command may end. What takes longer goes on by itself,
 * and is lost where the process ends first. Never rejects.
 */
export async function flushTelemetry(atMostMs: number = AT_MOST_MS): Promise<void> {
  const api = otelApi();
  const flushes = [api?.trace, api?.metrics].flatMap((provider) => quietly(() => flushOf(provider)) ?? []);
  if (flushes.length === 0) return;
  await Promise.race([Promise.allSettled(flushes), timeIsUp(atMostMs)]);
}

/** Begins the flush of a provider; the one that the API hands out only stands before the registered one. */
function flushOf(provider: unknown): readonly unknown[] {
  const behind = methodOf(provider, "getDelegate")?.() ?? provider;
  const flush = methodOf(behind, "forceFlush");
  return flush === undefined ? [] : [flush()];
}

function methodOf(value: unknown, name: string): (() => unknown) | undefined {
  const method: unknown = isObject(value) ? Reflect.get(value, name) : undefined;
  return typeof method === "function" ? (): unknown => Reflect.apply(method, value, []) : undefined;
}

/** Also under a test's fake timers, which leave the signal's own timer alone; the other one keeps the process up. */
async function timeIsUp(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    AbortSignal.timeout(ms).addEventListener("abort", () => resolve());
    setTimeout(resolve, ms);
  });
}
