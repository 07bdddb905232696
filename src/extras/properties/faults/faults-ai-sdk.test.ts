import { createServer } from "node:http";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, type LanguageModel, generateText, streamText, wrapLanguageModel } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { recordAiSdk } from "../../../record/interceptors/ai-sdk-recorder.ts";
import { recordGlobalFetch } from "../../../record/interceptors/fetch-recorder.ts";
import { recordModel } from "../../../record/interceptors/model-recorder.ts";
import { withReplay } from "../../../record/with-replay.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { PIECES, OUTPUTS, OUTPUT_FAULT_NAMES, TEXT, service } from "../../../../test-support/fault-clients.ts";
import { type ServiceAnswer, seenUnder } from "../../../../test-support/fault-service.ts";
import { CHAT_SERVICE, type Ending } from "../../../../test-support/model-services.ts";
import { errorBody } from "./fault-errors.ts";
import type { FaultName } from "./faults.ts";

beforeAll(() => service.open());
afterAll(() => service.close());

type Model = Exclude<LanguageModel, string>;

// Over the global `fetch`, whoever has replaced it by then.
const modelAt = (url: string): Model =>
  createOpenAI({ baseURL: `${url}/v1`, apiKey: "k", fetch: async (...args) => fetch(...args) }).chat("m");

/** What a step can tell of an error. */
function told(thrown: unknown): Record<string, unknown> {
  const error: object = Object(thrown);
  const field = (name: string): unknown => Reflect.get(error, name) ?? null;
  return {
    class: error.constructor.name,
    name: field("name"),
    isRetryable: field("isRetryable"),
    statusCode: field("statusCode"),
    // Which port refused is in the words.
    message: String(field("message")).replace(/:\d+$/, ""),
    isOfSdk: thrown instanceof APICallError,
  };
}

type Ask = (model: Model, wait: number) => Promise<object>;

const ASKS: Readonly<Record<"generateText" | "streamText", Ask>> = {
  generateText: async (model, wait) => {
    const abortSignal = AbortSignal.timeout(wait);
    try {
      const { text, finishReason } = await generateText({ model, prompt: "How much?", maxRetries: 0, abortSignal });
      return { text, finishReason };
    } catch (thrown) {
      return told(thrown);
    }
  },
  streamText: async (model, wait) => {
    const errors: object[] = [];
    const onError = ({ error }: { readonly error: unknown }): void => void errors.push(told(error));
    const abortSignal = AbortSignal.timeout(wait);
    const stream = streamText({ model, prompt: "How much?", maxRetries: 0, abortSignal, onError });
    let text = "";
    const ends: unknown[] = [];
    try {
      for await (const part of stream.stream) {
        if (part.type === "text-delta") text += part.text;
        if (part.type === "finish") ends.push(part.finishReason);
        if (part.type === "abort") ends.push(part.type);
      }
    } catch (thrown) {
      return { text, ends, errors, brokenBy: told(thrown) };
    }
    return { text, ends, errors };
  },
};

/** A way in which the tests of a step see its model. */
interface Way {
  readonly install: () => () => void;
  /** The model that the step asks, given the one that is its adapter. */
  readonly model: (adapter: Model) => Model;
}

const own = (): Model => modelAt(service.url);
const nothing = (): void => undefined;
const WAYS: Readonly<Record<string, Way>> = {
  "an adapter": { install: () => nothing, model: (adapter) => adapter },
  "wrapped with recordModel()": {
    install: () => nothing,
    model: () => wrapLanguageModel({ model: own(), middleware: recordModel() }),
  },
  "seen by recordAiSdk()": { install: recordAiSdk, model: own },
  "on the tape of fetch": { install: recordGlobalFetch, model: own },
};

function watcher(ask: Ask, { model }: Way): AnyStep {
  return defineStep({
    name: "watcher",
    input: z.object({}),
    output: z.looseObject({}),
    run: async (_, { adapters }: StepContext<{ readonly model: Model }>) => ({
      output: { ...(await ask(model(adapters.model), 60_000)) },
    }),
  });
}

/** A port that somebody had, and nobody has. */
async function closedUrl(): Promise<string> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  await new Promise((resolve) => other.close(resolve));
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

describe.each(Object.entries(WAYS))("a model of the AI SDK, %s", (_way, way) => {
  describe.each(["generateText", "streamText"] as const)("of %s: its faults match the SDK", (name) => {
    const ask = ASKS[name];
    const answering = (text: string, ending: Ending, breaksAfter?: number): ServiceAnswer =>
      name === "generateText"
        ? { kind: "body", status: 200, body: CHAT_SERVICE.body(text, ending) }
        : {
            kind: "events",
            events: CHAT_SERVICE.events(text === TEXT ? PIECES : [text].filter((one) => one !== ""), ending),
            isDone: true,
            ...(breaksAfter !== undefined && { breaksAfter }),
          };

    async function compare(fault: FaultName, ill: ServiceAnswer | "nobody"): Promise<readonly [unknown, object]> {
      const uninstall = way.install();
      const step = watcher(ask, way);
      service.answer = answering(TEXT, "stop");
      const { result, calls } = await withReplay(step, {}, { adapters: { model: own() } });
      expect(result.ok && result.value.output).toMatchObject({ text: TEXT });
      const served = await seenUnder(fault, step, calls);
      uninstall();
      if (ill !== "nobody") service.answer = ill;
      const wait = ill !== "nobody" && ill.kind === "silent" ? 50 : 60_000;
      return [served, await ask(ill === "nobody" ? modelAt(await closedUrl()) : own(), wait)];
    }

    test.each([
      ["error-429", { kind: "body", status: 429, body: errorBody("openai", 429) }],
      ["error-500", { kind: "body", status: 500, body: errorBody("openai", 500) }],
      ["error-network", "nobody"],
      ["timeout", { kind: "silent" }],
    ] as const)("%s", async (fault, ill) => {
      const [served, real] = await compare(fault, ill);
      expect(served).toStrictEqual(real);
    });

    // OpenAI's refusals have no place in the SDK: it calls what its filter holds back so.
    test.each(OUTPUT_FAULT_NAMES.filter((fault) => fault !== "refused"))("%s", async (fault) => {
      const [text, ending] = OUTPUTS[fault];
      const [served, real] = await compare(fault, answering(text, ending));
      expect(served).toStrictEqual(real);
    });

    test.each(name === "generateText" ? [] : ["aborted" as const])("%s", async () => {
      // Half of the SDK's parts, or half of the service's events: what it may say of itself is there before.
      const before = way.install === recordGlobalFetch ? 3 : 2;
      const [served, real] = await compare("aborted", answering(TEXT, "stop", before));
      expect(served).toStrictEqual(real);
      expect(real).toMatchObject({ text: PIECES.slice(0, before - 1).join(""), brokenBy: { isOfSdk: true } });
    });
  });
});
