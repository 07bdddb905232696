import { expect, test } from "vitest";
import { makeProject } from "../../test-support/pending-project.ts";
import { DEFAULT_POLICY } from "./policy.ts";
import { openUpdateContext } from "./update-context.ts";

/** Put together at run time, so that no scanner takes this file for a leak. */
const KEY = ["gh", "p_", "a1B2c3D4e5".repeat(4)].join("");

test.each([
  ["--reason", { reason: `rotated ${KEY}`, environment: {} }],
  ["VERITEST_REASON", { environment: { VERITEST_REASON: `rotated ${KEY}` } }],
])("redacts secrets in the reason of %s", (_whose, io) => {
  const { paths } = makeProject();
  const policy = { ...DEFAULT_POLICY, actor: "human" as const };
  const settler = openUpdateContext(paths, policy, { isTTY: false, ...io });
  expect(settler).toMatchObject({
    ok: true,
    value: { reason: expect.stringMatching(/^rotated «redacted:github-token#\d+»$/) },
  });
});

test("leaves a missing reason undefined", () => {
  const { paths } = makeProject();
  const settler = openUpdateContext(paths, { ...DEFAULT_POLICY, actor: "human" }, { isTTY: false, environment: {} });
  expect(settler).toMatchObject({ ok: true, value: { reason: undefined } });
});
