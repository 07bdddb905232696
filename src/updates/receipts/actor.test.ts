import { expect, test } from "vitest";
import { type ActorEvidence, inferActor } from "./actor.ts";

const cases: readonly [string, ActorEvidence, string, string][] = [
  ["a terminal", { environment: {}, isTTY: true }, "human", "a terminal"],
  ["no terminal and no word", { environment: {}, isTTY: false }, "human", "no TTY"],
  ["CI=true", { environment: { CI: "true" }, isTTY: true }, "ci", "CI is set"],
  ["CI=1", { environment: { CI: "1" }, isTTY: false }, "ci", "CI is set"],
  ["CI=false", { environment: { CI: "false" }, isTTY: true }, "human", "a terminal"],
  ["CI=0", { environment: { CI: "0" }, isTTY: true }, "human", "a terminal"],
  [
    "CI=False against a service's own variable",
    { environment: { CI: "False", GITHUB_ACTIONS: "true" }, isTTY: true },
    "human",
    "a terminal",
  ],
  ["an empty CI", { environment: { CI: "", GITLAB_CI: "true" }, isTTY: true }, "ci", "GITLAB_CI is set"],
  ["a CI service", { environment: { TF_BUILD: "True" }, isTTY: false }, "ci", "TF_BUILD is set"],
  ["jest --ci", { environment: { VERITEST_JEST_CI: "1" }, isTTY: true }, "ci", "Jest's option ci is on"],
  ["an agent", { environment: { CLAUDECODE: "1" }, isTTY: true }, "agent", "CLAUDECODE is set"],
  [
    "an agent by the shared name",
    { environment: { AGENT: "goose", GOOSE_TERMINAL: "1" }, isTTY: false },
    "agent",
    "AGENT is set",
  ],
  ["an agent's variable turned off", { environment: { CURSOR_AGENT: "0" }, isTTY: true }, "human", "a terminal"],
  ["an agent in CI", { environment: { CI: "true", GEMINI_CLI: "1" }, isTTY: false }, "ci", "CI is set"],
  [
    "a stated actor in CI",
    { environment: { CI: "true", VERITEST_ACTOR: "human" }, isTTY: false },
    "human",
    "VERITEST_ACTOR",
  ],
  ["an empty stated actor", { environment: { VERITEST_ACTOR: "" }, isTTY: true }, "human", "a terminal"],
];

test.each(cases)("reports who acts by %s", (_what, evidence, kind, because) => {
  expect(inferActor(evidence)).toStrictEqual({ ok: true, value: { kind, because } });
});

test("names an invalid actor with control characters escaped", () => {
  expect(inferActor({ environment: { VERITEST_ACTOR: "robot\u001b[2J" }, isTTY: true })).toStrictEqual({
    ok: false,
    error: 'VERITEST_ACTOR must be human, agent or ci, got "robot\\u001b[2J".',
  });
});

test("ignores names of Object.prototype as actor or evidence", () => {
  expect(inferActor({ environment: { VERITEST_ACTOR: "constructor" }, isTTY: true }).ok).toBe(false);
});
