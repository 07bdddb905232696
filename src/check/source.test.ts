import { afterEach, expect, test, vi } from "vitest";
import type { AdapterCall } from "../record/adapter-call.ts";
import { serveAdapters } from "../record/serve/serve-adapters.ts";
import { REDACTION_VARIABLE } from "../redact/current-redactor.ts";
import type { StepContext } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import { type AdapterSource, RecordedSource, askingStep } from "./source.ts";

afterEach(() => vi.unstubAllEnvs());

const ANY: AnyStep["inputSchema"] = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };

function stepOf(run: AnyStep["run"]): AnyStep {
  const schema: AnyStep["outputSchema"] = {
    "~standard": { version: 1, vendor: "test", validate: () => ({ value: {} }) },
  };
  return {
    name: "ask",
    inputSchema: ANY,
    outputSchema: schema,
    partialOutputSchema: schema,
    keyBy: {},
    compare: {},
    run,
  };
}

/** A source that counts how often its adapters are asked for. */
function sourceOf(adapters: object): Pick<AdapterSource, "adapters" | "within"> & { asked: number; ran: number } {
  return {
    asked: 0,
    ran: 0,
    get adapters() {
      this.asked += 1;
      return adapters;
    },
    async within(run) {
      this.ran += 1;
      return run();
    },
  };
}

function contextOf(): StepContext {
  return {
    adapters: {},
    workflowId: "w",
    workflowVersion: "1",
    runId: "r",
    emitEvent: () => undefined,
    onArtifact: () => undefined,
  };
}

/** The context that a step's code gets. */
async function given(source: ReturnType<typeof sourceOf>, ctx: StepContext = contextOf()): Promise<StepContext> {
  const got: StepContext[] = [];
  await askingStep(
    stepOf((_input, own) => (got.push(own), { output: {} })),
    source,
  ).run({}, ctx);
  const [own] = got;
  if (own === undefined) throw new Error("The step was not run.");
  return own;
}

test("the code runs within the source, which is asked for no adapters where the code asks for none", async () => {
  const source = sourceOf({});
  expect((await given(source)).runId).toBe("r");
  expect([source.ran, source.asked]).toStrictEqual([1, 0]);
});

test("each context gives the adapters of its own source, by destructuring, spreading and inheriting too", async () => {
  const [first, second] = [{ llm: 1 }, { llm: 2 }];
  const contexts = [await given(sourceOf(first)), await given(sourceOf(second))];
  expect(contexts.map(({ adapters }) => adapters)).toStrictEqual([first, second]);
  for (const [index, ctx] of contexts.entries()) {
    const adapters = [first, second][index];
    expect(ctx.adapters).toBe(adapters);
    expect({ ...ctx }.adapters).toBe(adapters);
    expect(Reflect.get(Object.create(ctx), "adapters")).toBe(adapters);
    expect(Object.keys(ctx).toSorted()).toStrictEqual(Object.keys(contextOf()).toSorted());
  }
});

test("all else is as it was given", async () => {
  const ctx = contextOf();
  const { adapters: _adapters, ...others } = await given(sourceOf({}), ctx);
  const { adapters: _own, ...expected } = ctx;
  expect(others).toMatchObject(expected);
  const { onArtifact: _none, ...without } = ctx;
  expect(Object.keys(await given(sourceOf({}), without))).not.toContain("onArtifact");
});

test("code may put other adapters in their place, as in any object", async () => {
  const [source, own] = [sourceOf({ llm: 1 }), { llm: 2 }];
  const ctx = await given(source);
  Reflect.set(ctx, "adapters", own);
  expect(ctx.adapters).toBe(own);
  expect(source.asked).toBe(0);
  expect((await given(source)).adapters).toStrictEqual({ llm: 1 });
});

test("what the code throws comes out of the run, and so does what stands in the way of making adapters", async () => {
  const failing = stepOf(() => {
    throw new RangeError("the code");
  });
  await expect(Promise.resolve().then(() => askingStep(failing, sourceOf({})).run({}, contextOf()))).rejects.toThrow(
    new RangeError("the code"),
  );
  vi.stubEnv(REDACTION_VARIABLE, "no JSON");
  const asking = askingStep(
    stepOf((_input, { adapters }) => ({ output: adapters })),
    new RecordedSource([]),
  );
  await expect(Promise.resolve().then(() => asking.run({}, contextOf()))).rejects.toThrow(SyntaxError);
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

test("a source that nobody asks has made no call and missed none, and names what was left", () => {
  const source = new RecordedSource(CALLS);
  expect([source.kind, source.calls(), source.misses(), source.unused(), source.problems()]).toStrictEqual([
    "recorded",
    [],
    [],
    ["load", "load"],
    [],
  ]);
});

test("a source that was asked tells what its server does", () => {
  const [source, server] = [new RecordedSource(CALLS), serveAdapters(CALLS)];
  expect([ask(source.adapters, "b"), ask(server.adapters, "b")]).toStrictEqual([2, 2]);
  for (const adapters of [source.adapters, server.adapters]) expect(() => ask(adapters, "c")).toThrow();
  expect(source.calls()).toStrictEqual([CALLS[1]]);
  expect(source.unused()).toStrictEqual(["load"]);
  expect(source.misses()).toStrictEqual(server.misses());
});

test("a source without calls misses each", () => {
  const source = new RecordedSource([]);
  expect(() => ask(source.adapters, "a")).toThrow();
  expect([source.calls(), source.unused(), source.misses().length]).toStrictEqual([[], [], 1]);
});
