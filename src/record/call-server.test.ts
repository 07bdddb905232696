import { afterEach, expect, test, vi } from "vitest";
import { REDACTION_VARIABLE } from "../redact/current-redactor.ts";
import type { AdapterCall } from "./adapter-call.ts";
import { CallServer } from "./call-server.ts";
import { serveAdapters } from "./serve-adapters.ts";
import { addTape, type TapeAnswers } from "./tapes.ts";

const CALLS: readonly AdapterCall[] = [
  { adapter: "llm.complete", occurrence: 1, returns: "value", request: ["b"], response: 2 },
  { adapter: "llm.complete", occurrence: 0, returns: "value", request: ["a"], response: 1 },
  { adapter: "llm.model", occurrence: 0, returns: "property", request: [], response: "m" },
];

afterEach(() => vi.unstubAllEnvs());

function ask(adapters: object, text: string): unknown {
  const llm: unknown = Reflect.get(adapters, "llm");
  const complete: unknown = typeof llm === "object" && llm !== null ? Reflect.get(llm, "complete") : undefined;
  return typeof complete === "function" ? Reflect.apply(complete, llm, [text]) : undefined;
}

test("before anything is asked, nothing was served or missed, and every call is left, in its order", async () => {
  const server = new CallServer(CALLS);
  expect([server.served(), server.misses(), server.unused()]).toStrictEqual([0, [], CALLS]);
  expect(server.unused()).not.toBe(CALLS);
  expect(await server.within(() => "run")).toBe("run");
  expect([server.served(), server.misses(), server.unused()]).toStrictEqual([0, [], CALLS]);
});

test("once asked, it serves and counts as a server that was made at once", () => {
  const late = new CallServer(CALLS);
  const early = serveAdapters(CALLS);
  for (const text of ["a", "c", "b"]) {
    const answers = [late.adapters, early.adapters].map((adapters) => {
      try {
        return ask(adapters, text);
      } catch (thrown) {
        return String(thrown);
      }
    });
    expect(answers[0]).toStrictEqual(answers[1]);
    expect([late.served(), late.misses(), late.unused()]).toStrictEqual([
      early.served(),
      early.misses(),
      early.unused(),
    ]);
  }
  expect(late.served()).toBe(2);
  expect(late.misses().map(({ reason }) => reason)).toStrictEqual(["unknown_request"]);
});

test("the adapters are the same ones each time", () => {
  const server = new CallServer(CALLS);
  expect(server.adapters).toBe(server.adapters);
});

test("the project's settings are read when adapters are asked for, and then what is wrong with them is thrown", () => {
  vi.stubEnv(REDACTION_VARIABLE, "no JSON");
  const server = new CallServer(CALLS);
  expect(server.unused()).toStrictEqual(CALLS);
  expect(() => server.adapters).toThrow(SyntaxError);
  expect(() => serveAdapters(CALLS)).toThrow(SyntaxError);
});

test("a tape answers from the same calls as the adapters", async () => {
  const served: TapeAnswers[] = [];
  const remove = addTape("call-server-test", {
    record: () => ({ handlers: {} }),
    serve: (from) => (served.push(from), { handlers: {} }),
  });
  try {
    const server = new CallServer(CALLS);
    await server.within(() => ask(server.adapters, "a"));
    expect(served).toHaveLength(1);
    expect(served[0]?.index.unused()).toStrictEqual(server.unused());
    served[0]?.miss({ adapter: "fetch", request: [], reason: "unknown_adapter", recorded: 0 });
    expect(server.misses()).toStrictEqual([{ adapter: "fetch", request: [], reason: "unknown_adapter", recorded: 0 }]);
  } finally {
    remove();
  }
});
