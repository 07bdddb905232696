import { expect, test } from "vitest";
import { createRedactor } from "../redact/create-redactor.ts";
import { type AdapterCall, parseAdapterCall } from "./adapter-call.ts";
import { nearestCall } from "./replay/nearest-call.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { UnrecordedRequestError } from "./replay/unrecorded-request.ts";
import { replayAdapters } from "./replay/replay-adapters.ts";

const redact = createRedactor({
  hashOnly: ["llm.stream.response", "llm.complete.request[0].document", "llm.name.response"],
});

/** A stream with a helper, as SDKs have. */
class Stream implements AsyncIterable<string> {
  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    yield "Dear";
    yield " all";
  }
  async finalText(): Promise<string> {
    return "Dear all";
  }
}

const adapters = {
  llm: {
    name: "small-1",
    stream: (_prompt: string) => new Stream(),
    complete: async (request: { readonly document: string }) => request.document.length,
  },
};

function isAdapters(served: object): served is typeof adapters {
  return "llm" in served;
}

async function recorded(): Promise<readonly AdapterCall[]> {
  const recorder = recordAdapters(adapters, { redact });
  const { llm } = recorder.adapters;
  expect([llm.name, await llm.complete({ document: "Dear all" })]).toStrictEqual(["small-1", 8]);
  const stream = llm.stream("read");
  for await (const word of stream) expect("Dear all").toContain(word);
  expect(await stream.finalText()).toBe("Dear all");
  expect(recorder.problems()).toStrictEqual([]);
  return recorder.calls();
}

test("nothing of what is kept as a hash is written, neither a chunk nor what a helper gave", async () => {
  expect(JSON.stringify(await recorded())).not.toMatch(/Dear|small-1/);
});

test("a request kept as a hash is found by today's, and an answer kept as one is refused, and noted", async () => {
  const server = replayAdapters(await recorded(), { redact });
  if (!isAdapters(server.adapters)) throw new Error("nothing is served");
  const { llm } = server.adapters;
  expect(await llm.complete({ document: "Dear all" })).toBe(8);
  await expect(llm.complete({ document: "Dear you" })).rejects.toThrow(
    'No recorded call of adapter "llm.complete" matches this request (1 recorded).',
  );
  expect(() => llm.stream("read")).toThrow(UnrecordedRequestError);
  expect(() => llm.name).toThrow(
    "The recorded response of adapter \"llm.name\" can't be replayed: only its hash is stored (hashOnly). Give today's adapters.",
  );
  expect(server.unrecorded().map(({ reason }) => reason)).toStrictEqual(["unknown_request", "hash_only", "hash_only"]);
});

test("a request that a path names as a whole stays a list of arguments", async () => {
  for (const option of ["paths", "hashOnly"] as const) {
    const recorder = recordAdapters(adapters, { redact: createRedactor({ [option]: ["llm.complete.request"] }) });
    await recorder.adapters.llm.complete({ document: "Dear all" });
    const [call] = recorder.calls();
    expect(call?.request).toStrictEqual([expect.stringMatching(/^«/)]);
    expect(parseAdapterCall(JSON.parse(JSON.stringify(call)))).toStrictEqual(call);
  }
});

test("a text answer of an adapter whose all is named is hidden", async () => {
  for (const option of ["paths", "hashOnly"] as const) {
    const recorder = recordAdapters(
      { vault: { read: async () => "Dear all" } },
      { redact: createRedactor({ [option]: ["vault"] }) },
    );
    await recorder.adapters.vault.read();
    expect(JSON.stringify(recorder.calls())).not.toContain("Dear");
  }
});

test("of several changed prompts each is nearest to the one it was made of", () => {
  const call = (prompt: string): AdapterCall => ({
    adapter: "llm",
    request: [{ prompt }],
    occurrence: 0,
    returns: "promise",
    response: 1,
  });
  const calls = ["Summarize the letter of the mayor.", "List the claims of the letter."].map(call);
  expect(nearestCall(calls, [{ prompt: "List all the claims of the letter." }])).toBe(calls[1]);
  expect(nearestCall(calls, [{ prompt: "Summarize the letter of the new mayor." }])).toBe(calls[0]);
  expect(nearestCall(calls, [{ prompt: "?" }])).toBe(calls[0]);
});
