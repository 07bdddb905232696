import { expect, test } from "vitest";
import { replayAdapters, type AdapterReplayer } from "./replay/replay-adapters.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { withSharedDetails } from "./instance-details.ts";

class GetObjectCommand {
  readonly input: unknown;
  constructor(input: unknown) {
    this.input = input;
  }
}
class DeleteObjectCommand extends GetObjectCommand {}

class Money {
  readonly currency = "EUR";
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
  get label(): string {
    return `${this.currency} ${performance.now()}`;
  }
}

test("the getters of a class are read as code once for all of its instances", () => {
  let read = 0;
  class Cell {
    readonly row = 1;
    readonly #column = 2;
    get column(): number {
      return this.#column;
    }
  }
  const { get } = Object.getOwnPropertyDescriptor(Cell.prototype, "column") ?? {};
  if (get === undefined) throw new Error("no getter");
  const code = get.toString();
  get.toString = () => {
    read += 1;
    return code;
  };
  const [request] = requestsOf([new Cell(), new Cell(), Object.assign(new Cell(), { row: 3 })]);
  expect(JSON.stringify(request)).toContain('"column":2');
  expect(read).toBe(1);
});

type Send = { readonly api: { readonly send: (argument: unknown) => string } };

/** The requests of one recorded call per argument. */
function requestsOf(...args: readonly unknown[]): readonly unknown[] {
  const recorder = recordAdapters<Send>({ api: { send: () => "done" } });
  for (const argument of args) recorder.adapters.api.send(argument);
  return recorder.calls().map(({ request }) => request);
}

/** Replays a call with `now` from a recording of a call whose request is `request`. */
function replayOf(request: unknown, now: unknown): AdapterReplayer {
  const replayer = replayAdapters([
    { adapter: "api.send", request, occurrence: 0, returns: "value", response: "done" },
  ]);
  try {
    Reflect.apply(Reflect.get(Reflect.get(replayer.adapters, "api"), "send"), undefined, [now]);
  } catch {
    // The replayer lists the unrecorded request.
  }
  return replayer;
}

const KEY = { Bucket: "b", Key: "k" };

test("an argument of a class is recorded with the name of its class, at every depth", () => {
  expect(requestsOf(new GetObjectCommand(KEY), { batch: [new DeleteObjectCommand(KEY)] })).toStrictEqual([
    [{ $instanceOf: "GetObjectCommand", input: KEY }],
    [{ batch: [{ $instanceOf: "DeleteObjectCommand", input: KEY }] }],
  ]);
});

test("short, anonymous and missing names aren't recorded, nor what bundlers add to a name", () => {
  const _OrderLine2 = class {
    readonly id = 1;
  };
  const classes = [class tRe {}, class {}, class Q {}].map((make) => Object.assign(new make(), { id: 1 }));
  const plain = [
    Object.assign(Object.create(null), { id: 1 }),
    Object.create({}, { id: { value: 1, enumerable: true } }),
  ];
  expect(requestsOf(new _OrderLine2(), ...classes, ...plain)).toStrictEqual([
    [{ $instanceOf: "OrderLine", id: 1 }],
    ...Array.from({ length: 5 }, () => [{ id: 1 }]),
  ]);
});

test("private fields are recorded by the getters that read them, next to public fields", () => {
  expect(requestsOf(new Money(40))).toStrictEqual([
    [{ $instanceOf: "Money", $privateFields: { cents: 40 }, currency: "EUR" }],
  ]);
});

test.each([
  ["an equal command", requestsOf(new GetObjectCommand(KEY))[0], new GetObjectCommand(KEY), 0],
  ["a command of another class", requestsOf(new GetObjectCommand(KEY))[0], new DeleteObjectCommand(KEY), 1],
  ["another private amount", requestsOf(new Money(40))[0], new Money(4000), 1],
  ["a command, recorded without its class", [{ input: KEY }], new DeleteObjectCommand(KEY), 0],
  ["an amount, recorded without its private fields", [{ $instanceOf: "Money", currency: "EUR" }], new Money(4000), 0],
  ["other fields, recorded without a class", [{ input: "x" }], new GetObjectCommand(KEY), 1],
  ["a replayed response that the step passes on", requestsOf(new GetObjectCommand(KEY))[0], { input: KEY }, 0],
  [
    "a list in which one item has another class",
    requestsOf([new GetObjectCommand(KEY), new GetObjectCommand(KEY)])[0],
    [{ input: KEY }, new DeleteObjectCommand(KEY)],
    1,
  ],
])("a replay of %s has the right number of unrecorded requests", (_name, recorded, now, unrecorded) => {
  expect(replayOf(recorded, now).unrecorded()).toHaveLength(unrecorded);
});

test("a request without details is returned as it is", () => {
  const request = [{ a: [1, { b: "c" }] }];
  expect(withSharedDetails(request)).toBe(request);
});
