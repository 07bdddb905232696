import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hashText } from "../../kernel/json/hash.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { createStepBaseline } from "../../baseline/create-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import type { StagedUpdate } from "../../check/update/stage-update.ts";
import {
  type PendingChange,
  contradictedBy,
  outsideProjectReason,
  parsePendingChange,
  peekPendingChange,
  pendingChange,
  updateFromPending,
} from "./pending-change.ts";
import { runCount } from "../../../test-support/run-count.ts";

const ROOT = join("/", "work", "project");
const PATH = join(ROOT, "src", "__baselines__", "step", "case-01234567.json");

function proposal(before: string | undefined, after: string | undefined): BaselineUpdate {
  const update = before === undefined ? "add" : "update";
  return {
    kind: after === undefined ? "remove" : update,
    root: join(ROOT, "src", "__baselines__"),
    path: PATH,
    group: "step",
    before,
    after,
  };
}

/** The text of a step's baseline with one recorded answer. */
function stepText(response: string, total: number, request = "?"): string {
  const call = { adapter: "llm", occurrence: 0, request: [request], returns: "promise", response } as const;
  const result = { stepName: "step", workflowId: "w", workflowVersion: "1", input: {}, output: { total }, events: [] };
  return serializeBaseline(createStepBaseline({ ...result, artifacts: [] }, [call], {}));
}

function change(before: string | undefined, after: string | undefined, test_ = "a test"): PendingChange {
  return changeOf(proposal(before, after), undefined, test_);
}

function changeOf(made: BaselineUpdate, source: StagedUpdate["source"], test_ = "a test"): PendingChange {
  const origin = {
    projectRoot: ROOT,
    testPath: join(ROOT, "src", "a.test.ts"),
    test: test_,
    passed: false,
    run: "run",
    at: "2026-01-01T00:00:00.000Z",
  };
  return pendingChange(
    { update: made, intent: "review", verdict: "value_changed", shown: ["    a: 1 → 2"], source },
    origin,
  );
}

test("a record has paths relative to the project, with forward slashes, and hashes of its texts", () => {
  expect(change("old", "new")).toStrictEqual({
    version: 1,
    key: expect.stringMatching(/^[0-9a-f]{12}$/),
    kind: "update",
    target: "src/__baselines__/step/case-01234567.json",
    root: "src/__baselines__",
    group: "step",
    intent: "review",
    verdict: "value_changed",
    shown: ["    a: 1 → 2"],
    before: hashText("old"),
    after: hashText("new"),
    testFile: "src/a.test.ts",
    test: "a test",
    passed: false,
    contradicted: false,
    run: "run",
    at: "2026-01-01T00:00:00.000Z",
    text: "new",
  });
});

test.each<[string, StagedUpdate["source"], string[], string[]]>([
  ["a change found on recorded responses", "recorded", ["was", "is"], ["recorded", "live", "none"]],
  ["one found live, whose answers are the recorded ones", "live", ["was", "was"], ["recorded", "live", "none"]],
  ["one found live, on another answer", "live", ["was", "is"], ["live", "none"]],
  ["one of a new case, found live", "live", ["", "is"], ["live", "none"]],
  ["one of a value, or of a version that did not say", undefined, ["was", "was"], ["live", "none"]],
])("drops %s after a clean check of the right source", (_what, source, [before = "", after = ""], expected) => {
  const found = changeOf(proposal(before === "" ? undefined : stepText(before, 1), stepText(after, 2)), source);
  expect(parsePendingChange(JSON.stringify(found))).toStrictEqual({ ok: true, value: found });
  const sources = { recorded: "recorded", live: "live", none: undefined } as const;
  expect(
    Object.entries(sources).flatMap(([name, one]) =>
      contradictedBy(found, { source: one, reason: "clean again" }) ? [name] : [],
    ),
  ).toStrictEqual(expected);
});

test("derives the key from file and test only, so a newer change replaces an older one", () => {
  expect(change("old", "new").key).toBe(change("other", "else").key);
  expect(change("old", "new").key).not.toBe(change("old", "new", "another test").key);
});

test("reads any text back from its record unchanged", { tags: "deep" }, () => {
  const texts = fc.option(fc.string({ unit: "binary" }), { nil: undefined });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      fc.pre(before !== undefined || after !== undefined);
      const read = parsePendingChange(JSON.stringify(change(before, after)));
      expect(read.ok && updateFromPending(read.value, ROOT, before)).toStrictEqual(proposal(before, after));
    }),
    { numRuns: runCount(1000) },
  );
});

test("isn't an update once its file changed", () => {
  expect(updateFromPending(change("old", "new"), ROOT, "edited")).toBeUndefined();
  expect(updateFromPending(change("old", "new"), ROOT, undefined)).toBeUndefined();
  expect(updateFromPending(change(undefined, "new"), ROOT, "there now")).toBeUndefined();
});

test.each([
  { before: stepText("same", 1, "old"), after: stepText("same", 1, "new"), kept: "responses" },
  { before: stepText("old", 1, "old"), after: stepText("new", 1, "new"), kept: undefined },
  { before: stepText("same", 1), after: stepText("same", 2), kept: undefined },
  { before: "old", after: "new", kept: undefined },
])("an update of requests keeps responses if these are the same: $kept", ({ before, after, kept }) => {
  const pending = { ...change(before, after), verdict: "request_changed" } as const;
  expect(updateFromPending(pending, ROOT, before)?.kept).toBe(kept);
  expect(updateFromPending({ ...pending, verdict: "value_changed" }, ROOT, before)?.kept).toBe(undefined);
});

test("refuses a text whose hash differs", () => {
  expect(parsePendingChange(JSON.stringify({ ...change("old", "new"), text: "newer" }))).toStrictEqual({
    ok: false,
    error: "its text doesn't match its hash",
  });
  expect(parsePendingChange(JSON.stringify({ ...change("old", undefined), text: "back" }))).toStrictEqual({
    ok: false,
    error: "its text doesn't match its hash",
  });
});

const NO_RECORD = { ok: false, error: "this version of veritest can't read its format" };

test.each<[string, object]>([
  ["another version", { version: 2 }],
  ["a key that is a path", { key: "../../../x" }],
  ["a key that is too long", { key: "0123456789abc" }],
  ["an unknown kind", { kind: "replace" }],
  ["an unknown verdict", { verdict: "fine" }],
  ["a verdict from the prototype", { verdict: "constructor" }],
  ["an unknown intent", { intent: "force" }],
  ["no target", { target: undefined }],
  ["lines that are no texts", { shown: [1] }],
  ["no lines", { shown: "text" }],
  ["a flag that is none", { passed: "yes" }],
  ["a hash that is none", { before: 1 }],
  ["a project that is no text", { project: 1 }],
  ["projects that are no texts", { projects: [1] }],
])("refuses %s", (_what, bad) => {
  expect(parsePendingChange(JSON.stringify({ ...change("old", "new"), ...bad }))).toStrictEqual(NO_RECORD);
});

test.each(["", "{", "null", "[]", '"text"'])("refuses %j", (text) => {
  expect(parsePendingChange(text)).toStrictEqual(NO_RECORD);
});

test("refuses a record cut off at any character", () => {
  const whole = JSON.stringify(change("old", "new"));
  for (let end = 0; end < whole.length; end += 1) expect(parsePendingChange(whole.slice(0, end)).ok).toBe(false);
});

test.each<[string, Partial<PendingChange>]>([
  ["above the project", { target: "../../__baselines__/step/c.json", root: "../../__baselines__" }],
  ["absolute", { target: "/etc/__baselines__/c.json", root: "/etc/__baselines__" }],
  ["outside of its own root", { target: "src/other/c.json", root: "src/__baselines__" }],
  ["through its root and out again", { target: "src/__baselines__/../x.json", root: "src/__baselines__" }],
  ["the root itself", { target: "src/__baselines__", root: "src/__baselines__" }],
  ["below a root that is none", { target: "src/x.json", root: "src" }],
  ["no JSON file", { target: "src/__baselines__/step/run.sh", root: "src/__baselines__" }],
  ["in git's directory", { target: ".git/__baselines__/c.json", root: ".git/__baselines__" }],
  ["in git's directory in other letters", { target: ".GIT/__baselines__/c.json", root: ".GIT/__baselines__" }],
])("refuses a baseline path %s", (_what, place) => {
  expect(outsideProjectReason({ ...change("old", "new"), ...place }, { projectRoot: ROOT, area: ROOT })).toMatch(
    / isn't a baseline path of this project$/,
  );
});

test("allows baselines outside of the project within the repository, and not outside of that", () => {
  const beside = {
    ...change("old", "new"),
    target: "../shared/__baselines__/step/c.json",
    root: "../shared/__baselines__",
  };
  expect(outsideProjectReason(beside, { projectRoot: ROOT, area: join("/", "work") })).toBeUndefined();
  expect(outsideProjectReason(beside, { projectRoot: ROOT, area: ROOT })).toBe(
    "../shared/__baselines__/step/c.json isn't a baseline path of this project",
  );
});

test("escapes control characters of a hostile path", () => {
  expect(
    outsideProjectReason({ ...change("old", "new"), target: "\u001b[2J" }, { projectRoot: ROOT, area: ROOT }),
  ).toBe("\\u001b[2J isn't a baseline path of this project");
});

test("reads the fields of a record from its beginning, and rejects a damaged one", () => {
  const texts = fc.oneof(fc.string(), fc.constantFrom(',"text":"', '","text":"x"}', "}", '"'));
  fc.assert(
    fc.property(texts, texts, texts, fc.nat(), (after, name, line, cut) => {
      const { text, ...head } = { ...change(undefined, after, name), shown: [line] };
      const record = JSON.stringify({ ...head, text });
      const beginning = JSON.stringify(head).length - 1;
      const at = beginning + ',"text":"'.length + (cut % (record.length - beginning));
      expect(peekPendingChange(record.slice(0, at))).toStrictEqual(head);
      expect(peekPendingChange(record.slice(0, cut % beginning))).toBeUndefined();
    }),
  );
  const removal = { ...change("old", undefined) };
  expect(peekPendingChange(JSON.stringify(removal))).toStrictEqual(JSON.parse(JSON.stringify(removal)));
});
