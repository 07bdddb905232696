import { afterEach, expect, test, vi } from "vitest";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { replayAdapters } from "../../record/replay/replay-adapters.ts";
import type { ExecutionMetadata, StepContext } from "../../kernel/step/context.ts";
import { type AdapterSource, RecordedSource, lazyAdapterContext } from "./adapter-source.ts";

afterEach(() => vi.unstubAllEnvs());

/** A source that counts how often its adapters are asked for. */
function sourceOf(adapters: object): Pick<AdapterSource, "adapters"> & { asked: number } {
  return {
    asked: 0,
    get adapters() {
      this.asked += 1;
      return adapters;
    },
  };
}

function contextOf(): Required<ExecutionMetadata> {
  return {
    workflowId: "w",
    workflowVersion: "1",
    runId: "r",
    emitEvent: () => undefined,
    onArtifact: () => undefined,
  };
}

/** The context that a step's code gets. */
function given(source: ReturnType<typeof sourceOf>, ctx: ExecutionMetadata = contextOf()): StepContext {
  return lazyAdapterContext(source)(ctx);
}

test("a source is never requests adapters if the code doesn't", () => {
  const source = sourceOf({});
  expect(given(source).runId).toBe("r");
  expect(source.asked).toBe(0);
});

test("returns each context its own adapters, by destructuring, spreading and inheriting too", async () => {
  const [first, second] = [{ llm: 1 }, { llm: 2 }];
  const contexts = [given(sourceOf(first)), given(sourceOf(second))];
  expect(contexts.map(({ adapters }) => adapters)).toStrictEqual([first, second]);
  for (const [index, ctx] of contexts.entries()) {
    const adapters = [first, second][index];
    expect(ctx.adapters).toBe(adapters);
    expect({ ...ctx }.adapters).toBe(adapters);
    expect(Reflect.get(Object.create(ctx), "adapters")).toBe(adapters);
    expect(Object.keys(ctx).toSorted()).toStrictEqual(["adapters", ...Object.keys(contextOf())].toSorted());
  }
});

test("keeps the rest of the context unchanged", async () => {
  const ctx = contextOf();
  const { adapters: _adapters, ...others } = given(sourceOf({}), ctx);
  expect(others).toMatchObject(ctx);
  const { onArtifact: _none, ...without } = ctx;
  expect(Object.keys(given(sourceOf({}), without))).not.toContain("onArtifact");
});

test("lets code replace the adapters, like in any object", async () => {
  const [source, own] = [sourceOf({ llm: 1 }), { llm: 2 }];
  const ctx = given(source);
  Reflect.set(ctx, "adapters", own);
  expect(ctx.adapters).toBe(own);
  expect(source.asked).toBe(0);
  expect(given(source).adapters).toStrictEqual({ llm: 1 });
});

test("rethrows errors of the code, and errors of making adapters", async () => {
  const source = new RecordedSource([]);
  const failing = source.runInScope(() => {
    throw new RangeError("the code");
  });
  await expect(failing).rejects.toThrow(new RangeError("the code"));
  vi.stubEnv("VERITEST_REDACTION", "no JSON");
  const ctx = lazyAdapterContext(source)(contextOf());
  await expect(source.runInScope(() => ctx.adapters)).rejects.toThrow(SyntaxError);
});

const CALLS: readonly AdapterCall[] = [
  { adapter: "load", occurrence: 0, returns: "value", request: ["a"], response: 1 },
  { adapter: "load", occurrence: 0, returns: "value", request: ["b"], response: 2 },
  { adapter: "model", occurrence: 0, returns: "property", request: [], response: "m" },
];

function ask(adapters: object, text: string): unknown {
  const load: unknown = Reflect.get(adapters, "load");
  return typeof load === "function" ? Reflect.apply(load, adapters, [text]) : undefined;
}

test("a source that no test calls has made no call and missed none, and names what was left", () => {
  const source = new RecordedSource(CALLS);
  expect([source.kind, source.calls(), source.unrecorded(), source.uncalled(), source.problems()]).toStrictEqual([
    "recorded",
    [],
    [],
    ["load", "load"],
    [],
  ]);
});

test("a source that was asked reports what its server does", () => {
  const [source, server] = [new RecordedSource(CALLS), replayAdapters(CALLS)];
  expect([ask(source.adapters, "b"), ask(server.adapters, "b")]).toStrictEqual([2, 2]);
  for (const adapters of [source.adapters, server.adapters]) expect(() => ask(adapters, "c")).toThrow();
  expect(source.calls()).toStrictEqual([CALLS[1]]);
  expect(source.uncalled()).toStrictEqual(["load"]);
  expect(source.unrecorded()).toStrictEqual(server.unrecorded());
});

test("a source without calls reports each request as unrecorded", () => {
  const source = new RecordedSource([]);
  expect(() => ask(source.adapters, "a")).toThrow();
  expect([source.calls(), source.uncalled(), source.unrecorded().length]).toStrictEqual([[], [], 1]);
});
