import { expect, test } from "vitest";
import { PLACEHOLDER_KEY, setPlaceholderKeys } from "./placeholder-keys.ts";

const OTHERS = { GEMINI_API_KEY: PLACEHOLDER_KEY, MISTRAL_API_KEY: PLACEHOLDER_KEY, CO_API_KEY: PLACEHOLDER_KEY };
const ALL = { OPENAI_API_KEY: PLACEHOLDER_KEY, ANTHROPIC_API_KEY: PLACEHOLDER_KEY, ...OTHERS };

test.each<[string, NodeJS.ProcessEnv, NodeJS.ProcessEnv]>([
  ["all keys are missing", {}, ALL],
  ["the keys are empty", { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" }, ALL],
  ["one is set", { OPENAI_API_KEY: "mine" }, { ...ALL, OPENAI_API_KEY: "mine" }],
  [
    "a token replaces a key",
    { ANTHROPIC_AUTH_TOKEN: "mine" },
    { ANTHROPIC_AUTH_TOKEN: "mine", OPENAI_API_KEY: PLACEHOLDER_KEY, ...OTHERS },
  ],
  [
    "another name replaces a key",
    { GOOGLE_API_KEY: "mine", MISTRAL_API_KEY: "mine" },
    {
      GOOGLE_API_KEY: "mine",
      MISTRAL_API_KEY: "mine",
      OPENAI_API_KEY: PLACEHOLDER_KEY,
      ANTHROPIC_API_KEY: PLACEHOLDER_KEY,
      CO_API_KEY: PLACEHOLDER_KEY,
    },
  ],
  ["the run replays", { VERITEST_MODE: "replay" }, { VERITEST_MODE: "replay", ...ALL }],
  ["the run is live", { VERITEST_MODE: "live" }, { VERITEST_MODE: "live" }],
  ["the project is live", { VERITEST_PROJECT_MODE: "live" }, { VERITEST_PROJECT_MODE: "live" }],
  [
    "the run replays a live project",
    { VERITEST_MODE: "replay", VERITEST_PROJECT_MODE: "live" },
    { VERITEST_MODE: "replay", VERITEST_PROJECT_MODE: "live", ...ALL },
  ],
])("placeholders of keys, if %s", (_title, environment, expected) => {
  const set = { ...environment };
  setPlaceholderKeys(set);
  expect(set).toStrictEqual(expected);
});
