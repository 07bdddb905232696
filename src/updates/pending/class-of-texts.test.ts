import { expect, test } from "vitest";
import { changeOf, makeProject, put, updateContextOf } from "../../../test-support/pending-project.ts";
import { type VerdictClass } from "../../check/verdict.ts";
import { acceptPending } from "./accept-pending.ts";

test.each<[string, VerdictClass, VerdictClass]>([
  ["an update", "value_changed", "events_changed"],
  ["an update that claims to be clean", "value_changed", "clean"],
  ["an addition", "missing", "value_changed"],
  ["a removal", "obsolete", "value_changed"],
])("a policy forbids %s by its texts, even if its record has another class", async (what, forbidden, claimed) => {
  const project = makeProject();
  if (what !== "an addition") put(project, "one", 1);
  const change = changeOf(project, "one", { to: what === "a removal" ? undefined : 2, verdict: claimed });
  const context = updateContextOf(project.paths, { policy: { forbid: [forbidden] } });
  expect(await acceptPending([change], context)).toMatchObject({
    outcome: "refused",
    problems: [`${change.target} is pending as ${claimed}, and its text is ${forbidden}, which policy.forbid has.`],
  });
  const other = updateContextOf(project.paths, { policy: { forbid: ["schema_violation"] } });
  expect(await acceptPending([change], other)).toMatchObject({ outcome: "accepted" });
});
