import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { Recording } from "../record/with-replay.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { run } from "../kernel/step/run.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);

beforeEach(() => stage.begin());

const made = { occurrence: 0, returns: "promise" } as const;

/** Calls as a recording has them: with hidden secrets, requests of `fetch`, and values in other forms. */
const calls: readonly AdapterCall[] = [
  {
    adapter: "mail.send",
    ...made,
    request: [{ to: "ada@x.org", token: "«redacted:password#1»", auth: "Bearer «redacted:bearer#2» x" }],
    response: 1,
  },
  { adapter: "crm.löschen", ...made, request: [{ id: 7, body: '{"id":7,"tags":["a"]}' }], response: 1 },
  { adapter: "plan.at", ...made, request: [{ at: { $t: "date", v: "2026-01-02T00:00:00.000Z" } }], response: 1 },
  {
    adapter: "fetch",
    ...made,
    request: [{ method: "DELETE", origin: "https://shop.test", path: "/users/7", query: { force: "1" } }],
    response: {},
  },
  {
    adapter: "fetch",
    ...made,
    request: [{ method: "POST", origin: "https://shop.test", path: "/orders", form: { id: "7" } }],
    response: {},
  },
];
const step = defineStep({ name: "s", input: z.object({}), output: z.object({}), run: () => ({ output: {} }) });
const result = await run(step, {});
const recording: Recording = { result, calls, artifacts: [] };

function message(run: () => void): string {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  return "passed";
}

describe(".not.toCall finds a call", () => {
  test.each<[string, string, unknown?]>([
    ["whose secret is hidden", "mail.send", { token: "hunter22" }],
    ["whose secret is hidden, by a RegExp", "mail.send", { token: /^hunter/ }],
    ["whose secret is hidden, by a matcher", "mail.send", { token: expect.stringContaining("hunter") }],
    ["with a hidden part of a text", "mail.send", { auth: "Bearer abc x" }],
    ["with a decomposed name", "crm.lo\u0308schen"],
    ["with a number as text", "crm.löschen", { id: "7" }],
    ["with JSON as text", "crm.löschen", { body: { id: 7 } }],
    ["with a Date as text", "plan.at", { at: "2026-01-02T00:00:00.000Z" }],
    ["with a Date as a time", "plan.at", { at: Date.UTC(2026, 0, 2) }],
    ["by a path without a slash", "users/7"],
    ["by a number in a query", "DELETE /users/7", { query: { force: 1 } }],
    ["by a form as a body", "POST /orders", { body: { id: "7" } }],
  ])("%s", (_name, ...call) => {
    expect(message(() => expect(recording).not.toCall(...call))).toContain(", got 1\n");
  });

  test("but not with another value", () => {
    const different: readonly (readonly [string, unknown?])[] = [
      ["mail.send", { auth: "Basic abc x" }],
      ["crm.löschen", { id: "8" }],
      ["crm.löschen", { body: { id: 8 } }],
      ["plan.at", { at: "2026-01-03T00:00:00.000Z" }],
      ["users/8"],
      ["POST /orders", { body: { id: "8" } }],
    ];
    for (const call of different) expect(recording).not.toCall(...call);
  });

  test("and says why a hidden value matches", () => {
    expect(
      message(() => expect({ result, calls: calls.slice(0, 1) }).not.toCall("mail.send", { token: "hunter22" })),
    ).toBe(
      [
        'Error: toCall: expected no call mail.send({"token":"hunter22"}), got 1',
        '  mail.send({"auth":"Bearer «redacted:bearer#2» x","to":"ada@x.org","token":"«redacted:password#1»"})',
        "  Under .not, a redacted value matches any value, function or RegExp, because the recording hides it.",
      ].join("\n"),
    );
  });

  test.each([{ "a.b": 1 }, { "list[0]": 1 }])("and refuses paths in place of fields: %j", (wanted) => {
    const [path = ""] = Object.keys(wanted);
    const made = [{ adapter: "tools.add", request: [{ a: { b: 1 }, list: [1] }] }];
    expect(message(() => expect({ result, calls: made }).not.toCall("tools.add", wanted))).toBe(
      `TypeError: toCall: under .not, a field can't be a path such as "${path}". Use nested objects: { a: { b: 1 } }.`,
    );
  });

  test("and refuses fields that no request has", () => {
    expect(message(() => expect(recording).not.toCall("DELETE *", { url: "https://shop.test/users/7" }))).toBe(
      'TypeError: toCall: under .not, a request has no field "url". It has method, origin, path, query, and body or ' +
        'form. You can also name its URL: "fetch POST https://api.shop.test/*".',
    );
    expect(message(() => expect(recording).not.toCall("DELETE *", { headers: { "x-role": "admin" } }))).toBe(
      "TypeError: toCall: under .not, the headers of this request aren't recorded. Name them in matchHeaders.",
    );
  });
});
