import { expect, test } from "vitest";
import type { ReportPart } from "./report-case.ts";
import { formatLocation } from "./wording.ts";

test.each<[part: ReportPart, path: string, location: string]>([
  ["request", "(root)", "request"],
  ["request", "", "request"],
  ["request", "[0].prompt", "request[0].prompt"],
  ["request", "prompt", "request.prompt"],
  ["request", '["(root)"]', 'request["(root)"]'],
  ["response", "(root)", "response"],
  ["input", "(root)", "input"],
  ["output", "(root)", "(root)"],
  ["output", "", "(root)"],
  ["calls", "llm.ask: [0]", "llm.ask: [0]"],
])("the location of a change of the %s at %s is %s", (part, path, location) => {
  expect(formatLocation({ part, path })).toBe(location);
});
