import { expect, test } from "vitest";
import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import { ignoredPartsRemover } from "./ignored-parts.ts";

function removed(rules: readonly IgnoreRule[], request: unknown): readonly [unknown, readonly string[]] {
  const matched = new Set<string>();
  const without = ignoredPartsRemover(rules, (rule) => void matched.add(rule));
  const once = without(request, ["fetch"]);
  expect(without(once, ["fetch"])).toStrictEqual(once);
  return [once, [...matched]];
}

const chat = (content: unknown): unknown => [{ body: { messages: [{ content }] } }];
const at = "fetch[0].body.messages[0].content";

test.each([
  [/\d{4}-\d\d-\d\d/, "Today is 2026-03-01. Be kind.", "Today is …. Be kind."],
  [/Today is .*?\./, "Today is Sunday. Be kind.", "… Be kind."],
  [/\bat \d+:\d+/g, "at 9:10 or at 11:30", "… or …"],
  [/monday/i, "On Monday", "On …"],
])("%s removes the matching part of a string", (match, text, kept) => {
  expect(removed([{ path: at, match }], chat(text))).toStrictEqual([chat(kept), [`"${at}" (${String(match)})`]]);
});

test("applies a pattern to the strings below its path", () => {
  const parts = (day: string): unknown => chat([{ type: "text", text: `It is ${day}.` }]);
  expect(removed([{ path: at, match: /It is .*?\./ }], parts("May 1"))[0]).toStrictEqual(
    chat([{ type: "text", text: "…" }]),
  );
});

test("doesn't count a pattern that matches no text, or only the empty string", () => {
  const request = chat("Be kind.");
  for (const match of [/\d+/, /\d*/]) {
    const [kept, matched] = removed([{ path: at, match }], request);
    expect(kept).toBe(request);
    expect(matched).toStrictEqual([]);
  }
});

test("applies paths to JSON in strings, which are rewritten only if a part is ignored", () => {
  const text = '{ "ts": 1, "user": {"id": "a"} }';
  expect(removed([`${at}.ts`, "**.user.id"], chat(text))).toStrictEqual([
    chat('{"user":{}}'),
    [`"${at}.ts"`, '"**.user.id"'],
  ]);
  const request = chat(text);
  expect(removed([`${at}.time`, "**.name"], request)[0]).toBe(request);
});

test("applies paths to JSON in JSON in a string", () => {
  const inner = JSON.stringify({ args: JSON.stringify({ nonce: "a", q: 1 }) });
  expect(removed(["**.nonce"], chat(inner))[0]).toStrictEqual(chat('{"args":"{\\"q\\":1}"}'));
});

test("applies paths to XML elements in strings", () => {
  const xml = (time: string, name: string): unknown => [
    { body: `<s:Env><Time>${time}</Time><n>Dear ${name}!</n></s:Env>` },
  ];
  const rules = ["fetch[0].body.Env.Time", { path: "fetch[0].body.Env.n", match: /(?<=Dear )\w+/ }];
  expect(removed(rules, xml("9:10", "Ada"))).toStrictEqual([
    [{ body: "<s:Env><n>Dear …!</n></s:Env>" }],
    ['"fetch[0].body.Env.Time"', '"fetch[0].body.Env.n" (/(?<=Dear )\\w+/)'],
  ]);
  const request = xml("9:10", "Ada");
  expect(removed(["fetch[0].body.Env.Date"], request)[0]).toStrictEqual(request);
});

test("removes query parameters, form fields and items, and names each matching rule", () => {
  const request = [{ query: { ts: "1", q: "a" }, form: { nonce: "b", tags: ["x", "y"] } }];
  expect(
    removed(["fetch[0].query.ts", "fetch[0].form.nonce", "fetch[0].form.tags[1]", "fetch[0].body"], request),
  ).toStrictEqual([
    [{ query: { q: "a" }, form: { tags: ["x", { $t: "omitted", v: "ignored" }] } }],
    ['"fetch[0].query.ts"', '"fetch[0].form.nonce"', '"fetch[0].form.tags[1]"'],
  ]);
});
