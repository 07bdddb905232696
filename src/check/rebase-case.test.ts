import { expect, test } from "vitest";
import { createStepBaseline } from "../baseline/create-baseline.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { type Check, checkWithoutUpdate } from "./check.ts";
import { rebaseCase } from "./rebase-case.ts";

function ask(time: number, response: string): AdapterCall {
  return { adapter: "llm.ask", occurrence: 0, returns: "promise", request: [{ time, prompt: "Hello" }], response };
}

/** The check of a run that sent this request without a recorded response. */
function unrecordedCheck(time: number, nearest: AdapterCall): Check {
  const { adapter, request } = ask(time, "");
  return checkWithoutUpdate(
    { file: "a.json", path: "/a.json" },
    {
      kind: "request_changed",
      unrecorded: { adapter, request, reason: "unknown_request", nearest, recorded: 2 },
      recordedCount: 2,
    },
  );
}

test("a changed request keeps the response of the nearest call, not of one that is still sent", async () => {
  const [first, second] = [ask(1, "one"), ask(2, "two")];
  const step = { stepName: "ask", workflowId: "ask", workflowVersion: "1.0.0" };
  const result = { ...step, input: {}, output: { text: "" }, events: [], artifacts: [] };
  const baseline = createStepBaseline(result, [first, second], {});
  const checked: StepBaseline[] = [];
  await rebaseCase(unrecordedCheck(3, second), {
    baseline,
    harmless: ["llm.ask[0].time"],
    checkOn: async (changed) => {
      checked.push(changed);
      return checkWithoutUpdate({ file: "a.json", path: "/a.json" }, { kind: "clean" });
    },
  });
  expect(checked.map(({ calls }) => calls)).toStrictEqual([[first, ask(3, "two")]]);
});
