import { expect, test } from "vitest";
import { markOwn } from "../../kernel/own-values.ts";
import { addSerializer } from "./add-serializer.ts";
import type { PrintState, Printer } from "./serializer.ts";

interface Coded {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/**
 * A serializer of a project's own, for step errors of one code: it prints the code and, by all serializers, the rest.
 */
function serializerOf(code: string): Parameters<typeof expect.addSnapshotSerializer>[0] {
  return {
    test: (value: unknown): boolean => isCoded(value) && value.code === code,
    serialize: <Config, Refs>(
      value: Coded,
      ...[config, indentation, depth, refs, printer]: [...PrintState<Config, Refs>, Printer<Config, Refs>]
    ): string =>
      `own ${printer([value.code, error("other"), error("early")].slice(0, value.message === "deep" ? 3 : 1), config, indentation, depth, refs)}`,
  };
}

function isCoded(value: unknown): value is Coded {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}

function error(code: string, message: string = "it failed"): Coded {
  return markOwn({ code, message, retryable: false });
}

expect.addSnapshotSerializer(serializerOf("early"));
addSerializer(expect);
expect.addSnapshotSerializer(serializerOf("late"));

test("prints values that no other serializer accepts", () => {
  expect([error("other")]).toMatchInlineSnapshot(`
    [
      StepError other: it failed,
    ]
  `);
});

test("leaves a value to an earlier serializer", () => {
  expect([error("early")]).toMatchInlineSnapshot(`
    [
      own [
        "early",
      ],
    ]
  `);
});

test("leaves a value to a later serializer", () => {
  expect(error("late")).toMatchInlineSnapshot(`
    own [
      "late",
    ]
  `);
});

test("prints nested values in one that another serializer prints", () => {
  expect(error("early", "deep")).toMatchInlineSnapshot(`
    own [
      "early",
      StepError other: it failed,
      own [
        "early",
      ],
    ]
  `);
});

test("is added once, even by several setup files", () => {
  const added: object[] = [];
  const taker = { addSnapshotSerializer: (serializer: object) => void added.push(serializer) };
  addSerializer(taker);
  addSerializer(taker);
  expect(added).toHaveLength(1);
});
