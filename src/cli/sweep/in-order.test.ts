import * as fc from "fast-check";
import { expect, test } from "vitest";
import { InOrder } from "./in-order.ts";

test("whatever order places are filled in, what they hold comes in theirs, as soon as nothing before it is missing", () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.string(), { nil: undefined }), { maxLength: 20 }).chain((held) =>
        fc.record({
          held: fc.constant(held),
          order: fc.shuffledSubarray(
            held.map((_, place) => place),
            { minLength: held.length },
          ),
        }),
      ),
      ({ held, order }) => {
        const taken: string[] = [];
        const inOrder = new InOrder<string>((item) => taken.push(item));
        const filled = new Set<number>();
        for (const place of order) {
          inOrder.put(place, held[place]);
          filled.add(place);
          const gap = held.findIndex((_, at) => !filled.has(at));
          const known = gap === -1 ? held : held.slice(0, gap);
          expect(taken).toStrictEqual(known.filter((item) => item !== undefined));
        }
      },
    ),
  );
});

test("what waits for something that never comes is handed on at the end", () => {
  const taken: string[] = [];
  const inOrder = new InOrder<string>((item) => taken.push(item));
  inOrder.put(3, "d");
  inOrder.put(1, "b");
  inOrder.put(2, undefined);
  expect(taken).toStrictEqual([]);
  inOrder.flush();
  expect(taken).toStrictEqual(["b", "d"]);
});
