import * as fc from "fast-check";
import { expect, test } from "vitest";
import { propertyName } from "../../test-support/arbitraries.ts";
import { PathPrefixTree, generalPath } from "./shape-of-case.ts";
import { runCount } from "../../test-support/run-count.ts";

const segment = fc.oneof(
  fc.constantFrom<string | number>("lines", "due", "2024-01-05", "tags #2", "", "\n", '"', "[*]", 0, 7),
  fc.nat({ max: 3 }),
  propertyName(),
);
const path = fc.array(segment, { maxLength: 4 });

/** A path that differs from another at most in its indexes, or is another one. */
const pair = fc.oneof(
  path.chain((one) =>
    fc
      .tuple(...one.map((name) => (typeof name === "number" ? fc.nat({ max: 9 }) : fc.constant(name))))
      .map((other: readonly (string | number)[]) => [one, other] as const),
  ),
  fc.tuple(path, path),
);

test("a path of a command keeps the command's name, without the number of further ones", () => {
  const paths = [["invoke pay", "input", "amount"], ["invoke pay #2", "input", 3], ["invoke pay"]] as const;
  expect(paths.map((each) => generalPath(each, { part: "commands" }))).toStrictEqual([
    '["invoke pay"].input.amount',
    '["invoke pay"].input[*]',
    '["invoke pay"]',
  ]);
  expect(generalPath(["invoke pay", "input"], { part: "output" })).toBe("*.input");
});

test.each([
  ["emit order.1017.paid", '["emit order.*.paid"]'],
  ["emit plan.3.granted", '["emit plan.3.granted"]'],
  ["emit b2b.order.v2", '["emit b2b.order.v2"]'],
  ["invoke step-1", '["invoke step-1"]'],
  ["invoke 17", '["invoke 17"]'],
  ["emit user.ann@mail.test.paid", '["emit user.*.test.paid"]'],
  ["emit order:8f14e45fceea167a #2", '["emit order:*"]'],
  ["invoke send-mail", '["invoke send-mail"]'],
])("the general path of the command %s is %s", (name, general) => {
  expect(generalPath([name, "payload"], { part: "commands" })).toBe(`${general}.payload`);
  expect(generalPath([name], { part: "commands" })).toBe(general);
});

test("two paths share a prefix node exactly if they are equal without their indexes", () => {
  let equal = 0;
  const numRuns = runCount(30_000);
  fc.assert(
    fc.property(pair, ([one, other]) => {
      const start = new PathPrefixTree();
      const [here, there] = [one, other].map((each) => start.along(each));
      const bare = [one, other].map((each) =>
        JSON.stringify(each.map((name) => (typeof name === "number" ? 0 : name))),
      );
      expect(here === there).toBe(bare[0] === bare[1]);
      if (here !== there) return;
      equal += 1;
      expect(generalPath(one)).toBe(generalPath(other));
    }),
    { numRuns },
  );
  expect(equal).toBeGreaterThan(numRuns / 3);
});
