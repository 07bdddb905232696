import { expect, test } from "vitest";
import { PLACEHOLDER_KEY, setPlaceholderKeys } from "./placeholder-keys.ts";

const BOTH = { OPENAI_API_KEY: PLACEHOLDER_KEY, ANTHROPIC_API_KEY: PLACEHOLDER_KEY };

test.each<[string, NodeJS.ProcessEnv, NodeJS.ProcessEnv]>([
  ["both keys are missing", {}, BOTH],
  ["the keys are empty", { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" }, BOTH],
  ["one is set", { OPENAI_API_KEY: "mine" }, { ...BOTH, OPENAI_API_KEY: "mine" }],
  [
    "a token replaces a key",
    { ANTHROPIC_AUTH_TOKEN: "mine" },
    { ANTHROPIC_AUTH_TOKEN: "mine", OPENAI_API_KEY: PLACEHOLDER_KEY },
  ],
  ["the run replays", { VERITEST_MODE: "replay" }, { VERITEST_MODE: "replay", ...BOTH }],
  ["the run is live", { VERITEST_MODE: "live" }, { VERITEST_MODE: "live" }],
  ["the project is live", { VERITEST_PROJECT_MODE: "live" }, { VERITEST_PROJECT_MODE: "live" }],
  [
    "the run replays a live project",
    { VERITEST_MODE: "replay", VERITEST_PROJECT_MODE: "live" },
    { VERITEST_MODE: "replay", VERITEST_PROJECT_MODE: "live", ...BOTH },
  ],
])("placeholders of keys, if %s", (_title, environment, expected) => {
  const set = { ...environment };
  setPlaceholderKeys(set);
  expect(set).toStrictEqual(expected);
});
