import { expect, test } from "vitest";
import type { AdapterCall } from "./adapter-call.ts";
import { tagged } from "./encode/tagged.ts";
import { stableCalls } from "./stable-calls.ts";

type Response = (value: string) => unknown;

const events = (...data: readonly object[]): object => ({
  status: 200,
  type: "basic",
  body: { chunks: data.map((event) => `event: part\ndata: ${JSON.stringify(event)}\n\n`) },
});
const chat = (message: object): object => ({ object: "chat.completion", choices: [{ message }] });
const chunk = (delta: object): object => events({ object: "chat.completion.chunk", choices: [{ delta }] });
const anthropic = (part: object): object => ({ type: "message", role: "assistant", content: [part] });

/** Returns the calls of a run in which a model sends a value, and the next request sends it back. */
function run(response: Response, value: string): readonly AdapterCall[] {
  const calls = [
    { request: [{}], response: response(value) },
    { request: [{ messages: [{ sent: value }] }], response: { text: "done" } },
  ];
  return stableCalls(
    calls.map((call, occurrence) => ({ adapter: "llm.ask", occurrence, returns: "promise", ...call })),
    () => "",
  );
}

const VARYING: readonly (readonly [of: string, response: Response])[] = [
  [
    "the id of OpenRouter's reasoning",
    (id) => chat({ reasoning_details: [{ type: "reasoning.text", text: "Hm.", id }] }),
  ],
  [
    "the id of OpenRouter's encrypted reasoning",
    (id) => chat({ reasoning_details: [{ type: "reasoning.encrypted", id }] }),
  ],
  [
    "the id of OpenRouter's reasoning in a stream",
    (id) => chunk({ reasoning_details: [{ type: "reasoning.summary", id }] }),
  ],
  [
    "the signature of OpenRouter's reasoning in a stream",
    (signature) => chunk({ reasoning_details: [{ type: "reasoning.text", signature }] }),
  ],
  [
    "the id of OpenRouter's reasoning in metadata of the AI SDK",
    (id) => ({ providerMetadata: { openrouter: { reasoning_details: [{ type: "reasoning.text", id }] } } }),
  ],
  [
    "the id of OpenRouter's reasoning in a message of LangChain",
    (id) => ({ additional_kwargs: { reasoning_details: [{ type: "reasoning.text", id }] } }),
  ],
  [
    "the encrypted reasoning of OpenRouter's SDK",
    (encryptedContent) => ({ type: "reasoning", summary: [], encryptedContent }),
  ],
  ["the encrypted reasoning of xAI", (encrypted_content) => chat({ role: "assistant", encrypted_content })],
  ["the id of reasoning that is passed on alone", (id) => [{ type: "reasoning", id, summary: [] }]],
  ["the id of encrypted reasoning", (id) => ({ type: "reasoning", id, encrypted_content: "gAAAAABpzy" })],
  [
    "encrypted reasoning in an event of a response",
    (encrypted_content) =>
      events({ type: "response.output_item.done", item: { type: "reasoning", encrypted_content } }),
  ],
  [
    "a compaction of OpenAI",
    (encrypted_content) => ({ object: "response", output: [{ type: "compaction", encrypted_content }] }),
  ],
  ["a compaction of Anthropic", (signature) => anthropic({ type: "compaction", content: "So far.", signature })],
  [
    "the signature of Anthropic's reasoning",
    (signature) => anthropic({ type: "thinking", thinking: "Hm.", signature }),
  ],
  [
    "the signature of Anthropic's reasoning in a stream of events",
    (signature) => events({ type: "content_block_delta", delta: { type: "signature_delta", signature } }),
  ],
  ["a delta of a signature that a client passes on alone", (signature) => ({ type: "signature_delta", signature })],
  [
    "a search result of Anthropic",
    (encrypted_content) =>
      anthropic({ type: "web_search_tool_result", content: [{ type: "web_search_result", encrypted_content }] }),
  ],
  [
    "a citation of Anthropic",
    (encrypted_index) =>
      anthropic({ type: "text", citations: [{ type: "web_search_result_location", encrypted_index }] }),
  ],
  [
    "encrypted results of Anthropic's code",
    (encrypted_stdout) => anthropic({ content: { type: "encrypted_code_execution_result", encrypted_stdout } }),
  ],
  [
    "the signature of a part of Gemini",
    (thoughtSignature) => ({ candidates: [{ content: { parts: [{ thoughtSignature }] } }] }),
  ],
  ["the signature of a part of Gemini in Python's names", (thought_signature) => ({ parts: [{ thought_signature }] })],
  [
    "the signature of Gemini in a stream of events",
    (thoughtSignature) => events({ candidates: [{ content: { parts: [{ thoughtSignature }] } }] }),
  ],
  ["a thought of Gemini's interactions", (signature) => ({ outputs: [{ type: "thought", signature }] })],
  [
    "a delta of Gemini's interactions",
    (signature) => events({ event_type: "content.delta", delta: { type: "thought_signature", signature } }),
  ],
  [
    "signatures of Gemini in a message of LangChain, by call",
    (value) => ({ additional_kwargs: { __gemini_function_call_thought_signatures__: { "call-1": value } } }),
  ],
  ["signatures of Gemini in a message of LangChain", (value) => ({ additional_kwargs: { signatures: ["", value] } })],
  [
    "signatures of Gemini in a message of LiteLLM",
    (value) => chat({ provider_specific_fields: { thought_signatures: [value] } }),
  ],
  [
    "the signature of Bedrock's reasoning",
    (signature) => ({ content: [{ reasoningContent: { reasoningText: { text: "Hm.", signature } } }] }),
  ],
  ["the signature of Bedrock's reasoning in a stream", (signature) => ({ delta: { reasoningContent: { signature } } })],
  [
    "the signature of Bedrock's reasoning in a message of LangChain",
    (signature) => ({ content: [{ type: "reasoning_content", reasoningText: { text: "Hm.", signature } }] }),
  ],
  [
    "redacted reasoning of Bedrock in a message of LangChain",
    (base64) => [{ type: "reasoning_content", redactedContent: tagged("bytes", { kind: "Uint8Array", base64 }) }],
  ],
];

const [FIRST, SECOND] = ["rs_EqQBCkYIBRgCKkB8", "rs_Zz9Qk+aPq0LmVw/8x"];

test.each(VARYING)("two runs are equal that differ only in %s", (_of, response) => {
  const steady = run(response, FIRST);
  expect(run(response, SECOND)).toStrictEqual(steady);
  expect(JSON.stringify(steady)).not.toContain("EqQB");
});

const MEANINGFUL: readonly (readonly [of: string, response: Response])[] = [
  ["the signature of a webhook", (signature) => ({ type: "payment.succeeded", id: "evt_1QzT81", signature })],
  ["the signature of a contract", (signature) => ({ type: "contract", parties: ["Ada", "Bo"], signature })],
  ["the signature of a person in a document", (signature) => ({ fields: [{ name: "signer", signature }] })],
  ["the signature of a function", (signature) => ({ type: "function", name: "look", signature })],
  ["the signatures of a petition", (value) => ({ type: "petition", signatures: [value] })],
  ["the signature of an e-mail", (signature) => ({ role: "user", text: "Hi", signature })],
  ["the signature of a release", (signature) => ({ status: 200, body: { json: { asset: "a.tgz", signature } } })],
  ["the id of a question about reasoning", (id) => ({ type: "reasoning", id, question: "What follows?" })],
  ["the id of a step of a plan", (id) => ({ type: "thought", id, text: "Look it up." })],
  ["the id of a search result", (id) => ({ type: "web_search_result", id, url: "https://example.test" })],
  ["the encrypted content of a file", (encrypted_content) => ({ type: "file", name: "a.pgp", encrypted_content })],
  ["the encrypted content of a message of a user", (encrypted_content) => ({ role: "user", encrypted_content })],
  ["the data of a search result", (data) => ({ type: "web_search_result", data })],
  ["the data of a file", (data) => ({ type: "file", data })],
];

test.each(MEANINGFUL)("two runs are different that differ in %s", (_of, response) => {
  const texts = [FIRST, SECOND].map((value) => JSON.stringify(run(response, value)).split(value));
  expect(texts[0]).toHaveLength(3);
  expect(texts[1]).toStrictEqual(texts[0]);
});
