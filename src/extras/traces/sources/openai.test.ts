import { expect, test } from "vitest";
import { openaiSource } from "./openai.ts";

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["its metadata name", { run_id: "r-1", trace_id: "t-1" }, "t-1"],
  ["that the next of its metadata names, where the first is empty", { trace_id: "", run_id: "r-1" }, "r-1"],
  ["that it is by itself, where its metadata name none", { trace_id: "" }, "chatcmpl-1"],
])("a completion belongs to the run %s", (_what, metadata, trace) => {
  const completion = { id: "chatcmpl-1", object: "chat.completion", choices: [], metadata };
  expect(openaiSource.observer("")(completion)).toMatchObject([{ id: "chatcmpl-1", trace }]);
});
