import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { checkInputCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { causeLine } from "../../explain/cause-line.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";

interface Adapters {
  readonly llm: { ask(request: { prompt: string }): Promise<string> };
  readonly db: { find(id: string): Promise<string> };
}

type Change =
  | "number"
  | "prompt"
  | "number in a prompt"
  | "one more"
  | "one more, number"
  | "one more prompt"
  | "a prompt before"
  | "a prompt before, number"
  | "a prompt before, other prompt"
  | "a read before"
  | "one call less"
  | "schema"
  | "error"
  | "local date";

/** A step with a tool that no adapter records: each run executes it. */
function orderStep(change: Change | "captured", onRun: () => void): AnyStep {
  return defineStep({
    name: "order",
    input: z.object({ id: z.string() }),
    output: z.object({ rows: z.string(), total: z.number().max(change === "schema" ? 5 : 100), at: z.string() }),
    run: async ({ id }, { adapters }: StepContext<Adapters>) => {
      onRun();
      const limit = change === "number in a prompt" ? 30 : 25;
      const words =
        change === "prompt" || change === "a prompt before, other prompt"
          ? "List the orders briefly"
          : "List the orders";
      if (change.startsWith("a prompt before")) await adapters.llm.ask({ prompt: "Is this an order?" });
      if (change === "a read before") await adapters.db.find("b");
      await adapters.llm.ask({ prompt: `${words} of ${id}, at most ${limit}.` });
      const rows = change === "one call less" ? "rows of a" : await adapters.db.find(id);
      if (change === "one more" || change === "one more, number") await adapters.db.find("b");
      if (change === "one more prompt") await adapters.llm.ask({ prompt: "Is that right?" });
      if (change === "error") throw new Error("no stock");
      const hasOtherTotal = ["number", "one more, number", "a prompt before, number", "local date"].includes(change);
      const at = change === "local date" ? new Date(1_772_442_000_000).toDateString() : "Sun Mar 1 2026";
      return { output: { rows, total: hasOtherTotal ? 8 : 7, at } };
    },
  });
}

const REQUESTS = "cause: code (with the same responses, it sends different requests";
const OUTPUT = "cause: code (same requests, same responses, new output)";

test.each<[Change, number, string]>([
  ["number", 2, OUTPUT],
  ["one call less", 2, `${REQUESTS}: 1 fewer call to db.find)`],
  ["error", 2, "cause: code (it fails with the recorded responses)"],
  ["schema", 2, "cause: schema (rejects an output that it accepted before)"],
  ["prompt", 3, "cause: prompt"],
  ["number in a prompt", 3, "cause: prompt"],
  ["one more", 3, `${REQUESTS}: 1 more call to db.find)`],
  ["one more prompt", 3, "cause: prompt (1 more call to llm.ask)"],
  ["a prompt before", 5, "cause: prompt (1 more call to llm.ask)"],
  [
    "a prompt before, number",
    6,
    "cause: mixed: code (with the recorded responses: total: 7 → 8), prompt (1 more call to llm.ask)",
  ],
  ["a prompt before, other prompt", 4, "cause: prompt (llm.ask request[0].prompt changed, 1 more call to llm.ask)"],
  ["a read before", 5, `${REQUESTS}: 1 more call to db.find)`],
  ["one more, number", 4, `${REQUESTS}: 1 more call to db.find), (with the recorded responses: total: 7 → 8)`],
  // The step reads the time zone, so each of ten others is tried.
  ["local date", 12, OUTPUT],
])("after a change of the code (%s), the step runs %i times for its check and cause", async (change, runs, line) => {
  const root = join(temporaryProject("runs"), "__baselines__");
  const library = openLibrary(root);
  const adapters: Adapters = {
    llm: { ask: async () => "Listed." },
    db: { find: async (id) => `rows of ${id}` },
  };
  const captured = orderStep("captured", () => undefined);
  const first = await checkInputCase(
    captured,
    { input: { id: "a" }, label: "case", mayCapture: true, adapters, executesWrites: true },
    library,
  );
  putBaseline(first.path, first.update?.propose().after ?? "");
  const [stored] = library.all("order");
  if (stored === undefined) throw new Error("nothing is stored");
  let count = 0;
  const { verdict } = await checkStoredCase(
    orderStep(change, () => {
      count += 1;
    }),
    stored,
    { root },
  );
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect({ count, line: cause === undefined ? "none" : causeLine(cause, verdict) }).toStrictEqual({
    count: runs,
    line,
  });
});
