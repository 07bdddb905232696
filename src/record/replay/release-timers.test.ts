import { expect, test } from "vitest";
import { releaseTimers } from "./release-timers.ts";

test("releases only a run's own timers, which still fire", async () => {
  const original = globalThis.setTimeout;
  let isOwn = true;
  const end = releaseTimers(() => isOwn);
  const own = await new Promise<NodeJS.Timeout>((resolve) => {
    const timer: NodeJS.Timeout = setTimeout(() => resolve(timer), 1);
  });
  const waiting = setTimeout(() => undefined, 60_000);
  isOwn = false;
  const other = setTimeout(() => undefined, 60_000);
  end();
  const later = setTimeout(() => undefined, 60_000);
  expect([own, waiting, other, later].map((timer) => timer.hasRef())).toStrictEqual([false, false, true, true]);
  expect(globalThis.setTimeout).toBe(original);
  for (const timer of [waiting, other, later]) clearTimeout(timer);
});
