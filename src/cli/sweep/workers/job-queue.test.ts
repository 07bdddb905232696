import { expect, test } from "vitest";
import { JobQueue, type Suspect } from "./job-queue.ts";
import type { Job } from "./protocol.ts";

function jobs(count: number): Job[] {
  return Array.from({ length: count }, (_, place) => ({ place, target: 0, name: `${place}.json` }));
}

function suspect(place: number, needsFresh: boolean): Suspect {
  return { job: { place, target: 0, name: `${place}.json` }, losses: [], needsFresh };
}

function placesOf(taken: readonly Job[]): number[] {
  return taken.map(({ place }) => place);
}

test("hands out files in order, those that were put back first", () => {
  const queue = new JobQueue(jobs(5), 5);
  const taken = queue.take(3);
  expect([placesOf(taken), queue.left]).toStrictEqual([[0, 1, 2], 2]);
  queue.putBack(taken.slice(1));
  expect([queue.left, placesOf(queue.take(3)), placesOf(queue.take(3)), queue.isEmpty]).toStrictEqual([
    4,
    [1, 2, 3],
    [4],
    true,
  ]);
});

test("to ask whether there is more takes nothing away", () => {
  const queue = new JobQueue(jobs(2), 2);
  expect([queue.isEmpty, queue.isEmpty]).toStrictEqual([false, false]);
  expect([placesOf(queue.take(9)), queue.isEmpty]).toStrictEqual([[0, 1], true]);
});

test("a suspect that was lost by itself waits for a worker that has run nothing; such a worker takes it first", () => {
  const queue = new JobQueue([], 0);
  queue.suspect([suspect(1, false), suspect(2, false)]);
  queue.suspect([suspect(3, true)]);
  expect(queue.isEmpty).toBe(false);
  expect(queue.takeSuspect(false)?.job.place).toBe(1);
  expect(queue.takeSuspect(true)?.job.place).toBe(3);
  queue.suspect([suspect(4, true)]);
  expect(queue.takeSuspect(false)?.job.place).toBe(2);
  expect(queue.takeSuspect(false)).toBe(undefined);
  expect(queue.takeSuspect(true)?.job.place).toBe(4);
  expect([queue.takeSuspect(true), queue.isEmpty]).toStrictEqual([undefined, true]);
});
