import net from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Via, adaptersAt } from "../../../../fixtures/llm/adapters.ts";
import { answerVia } from "../../../../fixtures/llm/bodies.ts";
import { type StubServer, startStub } from "../../../../fixtures/llm/stub-server.ts";
import { unwrap } from "../../../kernel/result.ts";
import { type BaselineLibrary, type StoredCase, openLibrary } from "../../../baseline/baseline-library.ts";
import { putBaseline } from "../../../../test-support/put-baseline.ts";
import type { Check } from "../../../check/check.ts";
import { within } from "../../../kernel/diff/tolerances.ts";
import { formatDiff } from "../../../kernel/diff/format-diff.ts";
import { run } from "../../../kernel/step/run.ts";
import type { LlmAdapter } from "../adapters/llm-adapter.ts";
import { blend } from "../verify/blend.ts";
import { judgeVerifier } from "../verify/judge-verifier.ts";
import { lexicalVerifier } from "../verify/verifier.ts";
import type { FlowAdapters } from "./flow-options.ts";
import { groundedAnswer } from "./grounded-answer.ts";
import { checkInputCase, replayStoredCase, checkStoredCase } from "../../../../test-support/check-stored-case.ts";
import { temporaryProject } from "../../../../test-support/temporary-project.ts";

const CLIENTS: readonly Via[] = ["chat", "responses", "anthropic"];
const SOUND = "The Kestrel bridge was opened in 1932. It carries 160,000 cars a day.";
const WRONG = "The Kestrel bridge was opened in 1933. It carries 160,000 cars a day.";

const input = {
  question: "When was the Kestrel bridge opened, and how many cars does it carry a day?",
  documents: [
    {
      name: "bridge.md",
      text: "# The Kestrel bridge\n\nThe Kestrel bridge was opened in 1932. It carries 160,000 cars a day. Its paint is grey.",
    },
    { name: "ferry.txt", text: "The ferry crosses the harbour every hour. A ticket costs 4 dollars." },
  ],
};
const { step } = unwrap(groundedAnswer());

/**
 * What a recompute says when the model gets the year wrong: which claim it is, what is missing for it, what that costs.
 */
const DIFF = [
  "cause: model",
  '- citations["bridge.md [22–60]"]: {"document":"bridge.md","end":60,"quote":"The Kestrel bridge was opened in 1932.","score":1,"start":22}',
  '  cited: "The Kestrel bridge was opened in 1932 [1]. It carries 160,000 cars a day [2]." → "The Kestrel bridge was opened in 1933. It carries 160,000 cars a day [1]."',
  '- claims["The Kestrel bridge was opened in 1932."]: {"id":"The Kestrel bridge was opened in 1932.","label":"grounded","missing":[],"score":1}',
  '+ claims["The Kestrel bridge was opened in 1933."]: {"contradictions":["number: \\"1933\\" / \\"1932\\""],"id":"The Kestrel bridge was opened in 1933.","label":"ungrounded","missing":["1933"],"score":0.493977}',
  '  label: "grounded" → "ungrounded"',
  `  response: ${JSON.stringify(SOUND)} → ${JSON.stringify(WRONG)}`,
  "  support: 1 → 0.721687",
].join("\n");

let stub: StubServer;

beforeAll(async () => {
  stub = await startStub();
});

afterAll(() => stub.close());

beforeEach(() => {
  stub.requests.length = 0;
});

function says(via: Via, text: string): void {
  stub.reply = { kind: "json", body: answerVia(via, { text }) };
}

function library(): BaselineLibrary {
  return openLibrary(join(temporaryProject("flow"), "__baselines__"));
}

/** Captures a baseline of the flow with a model that answers soundly. */
async function captured(via: Via): Promise<{ readonly lib: BaselineLibrary; readonly stored: StoredCase }> {
  says(via, SOUND);
  const lib = library();
  const check = await checkInputCase(
    step,
    { input, label: "bridge", mayCapture: true, adapters: { llm: adaptersAt(stub.url)[via] } },
    lib,
  );
  const update = check.update?.propose();
  if (update === undefined) throw new Error(JSON.stringify(check.verdict));
  putBaseline(update.path, update.after ?? "");
  const [stored] = lib.all("grounded-answer");
  if (stored === undefined) throw new Error("nothing was stored");
  return { lib, stored };
}

/** Runs something while every new socket is an error. */
async function offline<T>(work: () => Promise<T>): Promise<T> {
  const trap = vi.spyOn(net.Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a socket was opened");
  });
  try {
    return await work();
  } finally {
    trap.mockRestore();
  }
}

function wordsOf({ verdict }: Check): string {
  if (verdict.kind !== "value_changed") return JSON.stringify(verdict);
  return [`cause: ${verdict.cause?.kind}`, ...verdict.changes.map(({ diff }) => formatDiff(diff))].join("\n");
}

describe.each(CLIENTS)("with the real client of %s", (via) => {
  test("the flow sends one request, and verifies the answer", async () => {
    says(via, SOUND);
    const result = await run(step, input, { adapters: { llm: adaptersAt(stub.url)[via] } });
    expect(result.ok && result.value.output).toMatchObject({
      response: SOUND,
      support: 1,
      label: "grounded",
      answeredBy: "model",
    });
    expect(result.ok && result.value.artifacts.map(({ kind }) => kind)).toEqual(["llm-trace"]);
    expect(stub.requests).toHaveLength(1);
    expect(JSON.stringify(stub.requests[0]?.body)).toContain("Its paint is grey.");
  });

  test("its baseline replays offline to the same bytes", async () => {
    const { stored } = await captured(via);
    const requests = stub.requests.length;
    const check = await offline(() => replayStoredCase(step, stored));
    expect(check.verdict).toEqual({ kind: "clean" });
    expect(stub.requests).toHaveLength(requests);
  });

  test("recomputed with another model, the diff names the claim without support", async () => {
    const { lib, stored } = await captured(via);
    says(via, WRONG);
    const check = await checkStoredCase(step, stored, { root: lib.root, adapters: { llm: adaptersAt(stub.url)[via] } });
    expect(wordsOf(check)).toBe(DIFF);
  });
});

test("the tests' network guard blocks a model that is called", async () => {
  const fresh = adaptersAt(stub.url.replace("127.0.0.1", "localhost")).chat;
  const result = await offline(() => run(step, input, { adapters: { llm: fresh } }));
  expect(result).toMatchObject({ ok: false, error: { code: "adapter_failed" } });
  expect(stub.requests).toHaveLength(0);
});

test("a changed prompt is distinguished from a changed model", async () => {
  const { lib, stored } = await captured("chat");
  const { step: changed } = unwrap(groundedAnswer({ instructions: "Answer in one word." }));
  says("chat", SOUND);
  const check = await checkStoredCase(changed, stored, {
    root: lib.root,
    adapters: { llm: adaptersAt(stub.url).chat },
  });
  expect(check.verdict).toMatchObject({ cause: { kind: "prompt" } });
  const served = await offline(() => checkStoredCase(changed, stored, { root: lib.root }));
  expect(served.verdict.kind).toBe("request_changed");
});

test("fails with the provider's message if the model can't be reached", async () => {
  stub.reply = {
    kind: "json",
    status: 429,
    headers: { "retry-after": "1" },
    body: { error: { type: "rate_limit_error", message: "Slow down." } },
  };
  const result = await run(step, input, { adapters: { llm: adaptersAt(stub.url).chat } });
  expect(result).toMatchObject({
    ok: false,
    error: { code: "adapter_failed", retryable: true, cause: { kind: "provider", operation: "generate" } },
  });
  expect(!result.ok && result.error.message).toContain("Slow down.");
});

test("small moves of a judge's scores can be tolerated, and are reported", async () => {
  interface Judged extends FlowAdapters {
    readonly judge: LlmAdapter;
  }
  const { step: judged } = unwrap(
    groundedAnswer<Judged>({
      answer: "extract",
      verifier: ({ judge }) => blend(lexicalVerifier, judgeVerifier(judge)),
    }),
  );
  const judge = (score: number): { readonly judge: LlmAdapter } => ({
    judge: { complete: async () => ({ content: JSON.stringify({ verdicts: [{ id: 0, score }] }) }) },
  });
  const asked = { ...input, question: "Is its paint grey?" };
  const lib = library();
  const update = (
    await checkInputCase(judged, { input: asked, label: "paint", mayCapture: true, adapters: judge(0.9) }, lib)
  ).update?.propose();
  putBaseline(update?.path ?? "", update?.after ?? "");
  const [stored] = lib.all("grounded-answer");
  if (stored === undefined) throw new Error("nothing was stored");
  const compare = { support: within(0.05), "claims.score": within(0.05) };
  const near = await checkStoredCase(judged, stored, { root: lib.root, adapters: judge(0.84), compare });
  expect(near.verdict).toMatchObject({
    kind: "clean",
    tolerated: expect.arrayContaining([expect.objectContaining({ rule: "support" })]),
  });
  const far = await checkStoredCase(judged, stored, { root: lib.root, adapters: judge(0.5), compare });
  expect(wordsOf(far)).toContain("support: 0.97 → 0.85");
});
