import { expect, test } from "vitest";
import { findSecrets } from "./find-secrets.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import { timesAsLong } from "../../test-support/cpu-ms.ts";

test("reports the kind and the place of each secret, and shows no more than its first four characters", () => {
  const key = PLANTED_SECRETS[0]?.text ?? "";
  const text = `{"note":"\\n${key}","db":"postgres://app:swordfish@db/main","n":1}`;
  expect(findSecrets(text)).toStrictEqual([
    { kind: "openai-key", index: 11, length: 51, shown: "sk-B… (51 characters)" },
    { kind: "url-password", index: text.indexOf("swordfish"), length: 9, shown: "… (9 characters)" },
  ]);
});

test("finds the path of a webhook in an incomplete URL", () => {
  const path = ["TJXWE52OZ", "BLOC14C47VM", "TRXCLUUWbdD8BsEk7aBc"].join("/");
  expect(findSecrets(`post to hooks.slack.com/services/${path}`)).toStrictEqual([
    { kind: "webhook-url", index: 33, length: path.length, shown: "TJXW… (42 characters)" },
  ]);
});

test("finds fields of JSON texts inside JSON texts", () => {
  let text = JSON.stringify({ password: 'a"b\\' });
  for (let level = 0; level < 4; level += 1) {
    const [finding, ...more] = findSecrets(text);
    expect([finding?.kind, more]).toStrictEqual(["password", []]);
    text = JSON.stringify({ inner: text, after: 1 });
  }
});

const HOSTILE: readonly (readonly [string, (size: number) => string])[] = [
  ["jwt starts", (size) => "eyJ".repeat(size / 3)],
  ["jwt parts", (size) => "eyJaaaaaaaaa.".repeat(size / 13)],
  ["private keys without an end", (size) => ["-----BEGIN", "PRIVATE", "KEY-----"].join(" ").repeat(size / 27)],
  ["one long word", (size) => "a".repeat(size)],
  ["digits", (size) => "4".repeat(size)],
  ["card groups", (size) => "4111 ".repeat(size / 5)],
  ["colons and slashes", (size) => "://a:".repeat(size / 5)],
  ["placeholders in URLs", (size) => "://«redacted:a#12345678»:".repeat(size / 25)],
  ["quotes and names", (size) => '"token":"'.repeat(size / 9)],
  ["escaped quotes", (size) => `"token":"${'\\"token\\":\\"'.repeat(size / 13)}`],
  ["backslashes", (size) => `"password":"${"\\".repeat(size)}`],
  ["percent signs", (size) => "%41".repeat(size / 3)],
  ["bearers", (size) => "Bearer ".repeat(size / 7)],
  ["equals signs", (size) => "=".repeat(size)],
  ["names", (size) => "password=".repeat(size / 9)],
  ["gitlab", (size) => "glpat-".repeat(size / 6)],
  ["entities", (size) => "&quot;password&quot;:&quot;a1b2c3d4&quot;,".repeat(size / 41)],
  ["braces", (size) => "{".repeat(size)],
];

test.each(HOSTILE)("takes linear time: %s", { tags: "deep" }, async (_name, make) => {
  const [small, large] = [make(40_000), make(640_000)];
  // Sixteen times the text; a quadratic search would take 256 times as long.
  expect(
    await timesAsLong(
      () => findSecrets(small),
      () => findSecrets(large),
    ),
  ).toBeLessThan(80);
});
