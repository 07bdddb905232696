import { expect, test } from "vitest";
import { unwrap } from "../../kernel/result.ts";
import { createStepBaseline } from "../../baseline/create-baseline.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { isLaidOut, verifySerialized, writtenBaseline } from "../../baseline/serialize-baseline.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { mergeBaselines } from "./merge-baselines.ts";

/** The file of an agent of ten turns, whose requests refer to earlier ones. */
function agentFile({
  system = "Be brief.",
  label = "old",
  last = "Done.",
  name = "agent",
  stepName = "agent",
}): string {
  const messages = [{ role: "system", content: system }];
  const calls = Array.from({ length: 10 }, (_, turn): AdapterCall => {
    messages.push({ role: "user", content: `${turn} ${"more of the same text ".repeat(10)}` });
    const response = turn === 9 ? last : "Go on.";
    return { adapter: "llm", occurrence: 0, returns: "promise", request: [{ messages: [...messages] }], response };
  });
  const step = { stepName, workflowId: "w", workflowVersion: "1" };
  const result = { input: { task: 1 }, output: { done: true }, events: [], commands: [], artifacts: [], ...step };
  return writtenBaseline(createStepBaseline(result, calls, { name, labels: [label] }));
}

test("merges a label of one side and a response of the other into a file with references", () => {
  const sides = { base: agentFile({}), ours: agentFile({ label: "new" }), theirs: agentFile({ last: "Finished." }) };
  expect(sides.base).toContain('"$t": "earlier"');
  expect(unwrap(mergeBaselines(sides, { file: "agent.json" }))).toStrictEqual({
    text: agentFile({ label: "new", last: "Finished." }),
    conflicts: [],
  });
});

test("reports a prompt both sides changed as a conflict of the calls, and each side is a complete file", () => {
  const [ours, theirs] = ["Be kind.", "Be quick."].map((system) => agentFile({ system }));
  if (ours === undefined || theirs === undefined) throw new Error("two files");
  const { text, conflicts } = unwrap(mergeBaselines({ base: agentFile({}), ours, theirs }, { file: "agent.json" }));
  expect(conflicts).toStrictEqual(["calls"]);
  expect(text.match(/^<{7} ours$/gm)).toHaveLength(2);
  const our = text.replaceAll(/^<{7} ours\n|^={7}\n[^]*?^>{7} theirs\n/gm, "");
  expect([our, verifySerialized(our), isLaidOut(our)]).toStrictEqual([ours, undefined, true]);
  expect(parseBaseline(text, "agent.json").ok).toBe(false);
});

test.each([{ name: "other" }, { stepName: "other" }])("refuses to merge the files of two cases: %o", (other) => {
  const sides = { base: "", ours: agentFile({}), theirs: agentFile(other) };
  expect(mergeBaselines(sides, { file: "agent.json" })).toStrictEqual({
    ok: false,
    error: "Cannot merge agent.json: its sides are two cases.",
  });
});
