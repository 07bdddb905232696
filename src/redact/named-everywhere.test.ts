import { describe, expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";

const { redact, redactChunks, redactText } = createRedactor();

/** Put together at run time, so that no scanner takes this file for a leak. */
const SECRET = ["Xk7", "pQ2m", "Zt9"].join("");
const HIDDEN = /«redacted:password#\d+»/g;

describe("a secret that its name reveals is hidden everywhere in what is recorded with it", () => {
  test("in sentences, URLs, commands, keys and bytes, before the name and after it", () => {
    const { value, secrets } = redact({
      before: `log in with ${SECRET}`,
      url: `https://example.com/${SECRET}/x`,
      login: { user: "ada", password: SECRET },
      command: { args: ["login", SECRET] },
      [`is ${SECRET}`]: true,
      encoded: Buffer.from(`ada:${SECRET}`).toString("base64"),
    });
    const text = JSON.stringify(value);
    expect(text).not.toContain(SECRET);
    expect(new Set(text.match(HIDDEN)).size).toBeGreaterThanOrEqual(1);
    expect(Object.keys(Object(value))).toHaveLength(6);
    expect(secrets.map(({ path }) => path)).toContain("command.args[1]");
    expect(redact(value)).toStrictEqual({ value, secrets: [] });
  });

  test("in a text, even of JSON", () => {
    expect(redactText(`DB_PASSWORD=${SECRET}\nconnect ${SECRET}@db`)).toMatch(
      /^DB_PASSWORD=(«redacted:password#\d+»)\nconnect \1@db$/,
    );
    expect(redactText(JSON.stringify({ note: `try ${SECRET}`, password: SECRET }))).toMatch(
      /^\{"note":"try («redacted:password#\d+»)","password":"\1"\}$/,
    );
  });

  test("in the chunks of a stream, split between them, and in cumulative snapshots", () => {
    const chunks = [
      { text: `the password is: ${SECRET.slice(0, 4)}` },
      { text: SECRET.slice(4) },
      { text: ". Use it." },
      { done: { password: SECRET, said: `the word is ${SECRET}` } },
    ];
    expect(JSON.stringify(redactChunks(chunks).value)).not.toMatch(new RegExp(`${SECRET}|${SECRET.slice(4)}"`));
    const cumulative = [1, 4, 7, 10].map((length) => ({ args: `{"password":"${SECRET.slice(0, length)}` }));
    const written = JSON.stringify(redactChunks([...cumulative, { args: `{"password":"${SECRET}"}` }]).value);
    expect(written).not.toContain(SECRET.slice(0, 7));
  });

  test("but not a common word", () => {
    const value = {
      password: "test",
      secret: "correct horse",
      token: "gpt-4-turbo1",
      apiKey: "production",
      note: "test the production model gpt-4-turbo1, a correct horse",
    };
    expect(redact(value).value).toMatchObject({ note: value.note });
  });
});
