import { expect, test } from "vitest";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { LLMCallContext, LLMProvider, LLMResult } from "./provider.ts";
import type { LLMRequest } from "./request.ts";
import { stream } from "./complete.ts";

const request: LLMRequest = { model: "m", messages: [{ role: "user", content: "?" }] };
const failed: LLMResult = {
  ok: false,
  error: { code: "provider_error", message: "Broken.", retryable: true, provider: "p" },
};

/** A model that streams two pieces and then fails as told; `log` says what became of it. */
function contextOf(end: () => LLMResult): { ctx: LLMCallContext; log: string[]; artifacts: Artifact[] } {
  const log: string[] = [];
  const artifacts: Artifact[] = [];
  const llm: LLMProvider = {
    complete: async () => end(),
    async *stream(...args) {
      log.push(`asked with ${args.length}`);
      try {
        yield "a";
        yield "b";
        log.push("read");
        return end();
      } finally {
        log.push("closed");
      }
    },
  };
  return {
    log,
    artifacts,
    ctx: { adapters: { llm }, onArtifact: (artifact) => void ("kind" in artifact && artifacts.push(artifact)) },
  };
}

const LEFT = {
  code: "aborted",
  message: "The stream wasn't read to its end, so its response is incomplete. Read it to the end, or call finish().",
  retryable: false,
};

test("no request is sent before the first read", async () => {
  const { ctx, log, artifacts } = contextOf(() => failed);
  const answer = stream(ctx, request);
  await Promise.resolve();
  expect([log, artifacts]).toStrictEqual([[], []]);
  expect(await answer.finish()).toBe(failed);
  expect(log).toStrictEqual(["asked with 1", "read", "closed"]);
});

test("finish returns the same result each time, even after reading the stream", async () => {
  const { ctx, log } = contextOf(() => failed);
  const answer = stream(ctx, request);
  const texts: string[] = [];
  for await (const text of answer) texts.push(text);
  expect(texts).toStrictEqual(["a", "b"]);
  expect([await answer.finish(), await answer.finish()]).toStrictEqual([failed, failed]);
  expect(log).toHaveLength(3);
});

test("leaving the loop ends the model's stream, without a complete response", async () => {
  const { ctx, log, artifacts } = contextOf(() => failed);
  const answer = stream(ctx, request);
  for await (const text of answer) {
    expect(text).toBe("a");
    break;
  }
  expect(log).toStrictEqual(["asked with 1", "closed"]);
  expect(await answer.finish()).toStrictEqual({ ok: false, error: LEFT });
  expect(artifacts.map(({ kind }) => kind)).toStrictEqual(["llm-input"]);
});

test("rethrows errors of the model's stream when it is read, and in finish", async () => {
  const { ctx } = contextOf(() => {
    throw new Error("a bug");
  });
  const answer = stream(ctx, request);
  const read = async (): Promise<void> => {
    for await (const _text of answer);
  };
  await expect(read()).rejects.toThrow("a bug");
  await expect(answer.finish()).rejects.toThrow("a bug");
});

test("passes a signal on", async () => {
  const { ctx, log } = contextOf(() => failed);
  await stream(ctx, request, { signal: new AbortController().signal }).finish();
  expect(log[0]).toBe("asked with 2");
});
