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

test("writes no hashed value, neither of a chunk nor of a helper method", async () => {
  expect(JSON.stringify(await recorded())).not.toMatch(/Dear|small-1/);
});

test("finds a hashed request by the current one, and refuses a hashed response with a note", async () => {
  const server = replayAdapters(await recorded(), { redact });
  if (!isAdapters(server.adapters)) throw new Error("nothing is served");
  const { llm } = server.adapters;
  expect(await llm.complete({ document: "Dear all" })).toBe(8);
  await expect(llm.complete({ document: "Dear you" })).rejects.toThrow(
    'No recorded call of adapter "llm.complete" matches this request (1 recorded).',
  );
  expect(() => llm.stream("read")).toThrow(UnrecordedRequestError);
  expect(() => llm.name).toThrow(
    'The recorded response of adapter "llm.name" can\'t be replayed: only its hash is stored (hashOnly). Pass the current adapters.',
  );
  expect(server.unrecorded().map(({ reason }) => reason)).toStrictEqual(["unknown_request", "hash_only", "hash_only"]);
});

test("a completely redacted request stays a list of arguments", async () => {
  for (const option of ["paths", "hashOnly"] as const) {
    const recorder = recordAdapters(adapters, { redact: createRedactor({ [option]: ["llm.complete.request"] }) });
    await recorder.adapters.llm.complete({ document: "Dear all" });
    const [call] = recorder.calls();
    expect(call?.request).toStrictEqual([expect.stringMatching(/^«/)]);
    expect(parseAdapterCall(JSON.parse(JSON.stringify(call)))).toStrictEqual(call);
  }
});

test("redacts a text response if a path names the adapter", async () => {
  for (const option of ["paths", "hashOnly"] as const) {
    const recorder = recordAdapters(
      { vault: { read: async () => "Dear all" } },
      { redact: createRedactor({ [option]: ["vault"] }) },
    );
    await recorder.adapters.vault.read();
    expect(JSON.stringify(recorder.calls())).not.toContain("Dear");
  }
});

test("finds the nearest recorded prompt for each of several changed ones", () => {
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
