import { isObject } from "../json/plain-data.ts";
import { otelApi, quietly } from "./otel.ts";

/** Maximum time that a test file or a command waits for the flush of its spans, in milliseconds. */
const AT_MOST_MS = 40;

/**
 * Flushes traces and metrics before a worker or a command may end. A longer flush continues, and is lost if the process
 * ends first. Never rejects.
 */
export async function flushTelemetry(atMostMs: number = AT_MOST_MS): Promise<void> {
  const api = otelApi();
  const flushes = [api?.trace, api?.metrics].flatMap((provider) => quietly(() => flushOf(provider)) ?? []);
  if (flushes.length === 0) return;
  await Promise.race([Promise.allSettled(flushes), timeIsUp(atMostMs)]);
}

/** Starts the flush of a provider. The API returns a proxy, which wraps the registered one. */
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
