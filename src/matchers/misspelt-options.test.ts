import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin(temporaryProject("misspelt-options")));

const step = defineStep({
  name: "measure",
  input: z.object({}),
  output: z.object({ length: z.number() }),
  run: async () => ({ output: { length: 1 } }),
});
const given = { input: {} };

test.each<[string, object, (options: object) => unknown, string]>([
  ["toMatchBaseline", { ignor: [] }, (options) => expect(step).toMatchBaseline({ ...given, ...options }), "ignore"],
  ["toMatchBaseline", { keyby: {} }, (options) => expect({ a: 1 }).toMatchBaseline(options), "keyBy"],
  ["toReplay", { matchheaders: [] }, (options) => expect(step).toReplay(options), "matchHeaders"],
  ["toRecomputeClean", { mod: "live" }, (options) => expect(step).toRecomputeClean(options), "mode"],
  ["toBePure", { adapter: {} }, (options) => expect(step).toBePure({ ...given, ...options }), "adapters"],
])("%s refuses %j with the name of the option that was meant", async (matcher, options, check, option) => {
  const [name = ""] = Object.keys(options);
  expect(await stage.message(() => check(options))).toBe(
    `${matcher}: unknown option "${name}". Did you mean "${option}"?`,
  );
});
