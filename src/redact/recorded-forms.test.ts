import { expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { findSecrets } from "./find-secrets.ts";

const { redact, redactText } = createRedactor();

/** Made up, and put together here so that no scanner takes this file for a leak. */
const KEY = ["B4BgQGiXp0m0", "lSUfOK5kcuJ8", "xceR17qJ"].join("");
const KIND = ["PRIVATE", "KEY"].join(" ");
const PEM = `-----BEGIN ${KIND}-----\n${`${KEY}${KEY}\n`.repeat(4)}-----END ${KIND}-----\n`;

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What programs and services write, the secret in it, and what must stay. */
const FORMS: readonly (readonly [form: string, value: unknown, secret: string, stays: string])[] = [
  [
    "a variable of a container",
    {
      env: [
        { name: "DB_PASSWORD", value: KEY },
        { name: "A", value: "b" },
      ],
    },
    KEY,
    "DB_PASSWORD",
  ],
  ["a variable of a task", [{ Name: "STRIPE_API_KEY", Value: KEY }], KEY, "STRIPE_API_KEY"],
  ["a Secret", { kind: "Secret", metadata: { name: "db" }, data: { "db.conf": base64(KEY) } }, base64(KEY), "db"],
  ["a cookie jar", { cookies: [{ name: "sid", value: KEY, domain: "example.com", path: "/" }] }, KEY, "example.com"],
  [
    "credentials of a session",
    { Credentials: { SessionToken: KEY, Expiration: "2026-11-25T01:00:00Z" } },
    KEY,
    "01:00:00Z",
  ],
  ["a JSON Web Key", { kty: "EC", crv: "P-256", d: KEY }, KEY, "P-256"],
  ["a key in base64", `client-key-data: ${base64(PEM)}\nname: ci\n`, base64(PEM).slice(60, 90), "name: ci"],
  ["a form with brackets", `user[password]=${KEY}&user[name]=ada`, KEY, "user[name]=ada"],
  ["the same, encoded", `user%5Bpassword%5D=${KEY}&user%5Bname%5D=ada`, KEY, "%5Bname%5D=ada"],
  ["a part of a form", `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${KEY}\r\n--x--`, KEY, "--x--"],
  ["SQL", `CREATE USER app WITH PASSWORD '${KEY}' LOGIN`, KEY, "LOGIN"],
  ["SQL of MySQL", `CREATE USER 'app'@'%' IDENTIFIED BY '${KEY}'`, KEY, "'app'@'%'"],
  ["a command", `mongosh mongodb.example.net --username app -p ${KEY}`, KEY, "--username app"],
  ["a sub-protocol", ["realtime", `openai-insecure-api-key.${KEY}`], KEY, "realtime"],
  ["an address to answer to", `https://hooks.slack.com/commands/T0001/1234567890123/${KEY}`, KEY, "hooks.slack.com"],
  [
    "a signed URL",
    `https://cdn.example.com/x.jpg?Expires=1732525200&Signature=${KEY}&Key-Pair-Id=K2J`,
    KEY,
    "=1732525200",
  ],
  ["a proof of a code", `POST /token grant=code&code_verifier=${KEY}&redirect_uri=x`, KEY, "redirect_uri=x"],
  [
    "a user of a URL",
    `cannot reach https://x-access-token:${KEY}@github.com/acme/app.git/: 403`,
    KEY,
    "@github.com/acme/app.git",
  ],
];

test.each(FORMS)("redacts the secret in %s, and keeps the text around it", (_form, value, secret, stays) => {
  // What a redactor saw before must not make it look less closely.
  redact({ d: "in use", name: "x", key: "y", data: "z", value: "v", kty: "w" });
  const shown = JSON.stringify(redact(value).value);
  expect(shown).not.toContain(secret);
  expect(shown).toContain(JSON.stringify(stays).slice(1, -1));
  const text = redactText(JSON.stringify(typeof value === "string" ? { body: value } : value, undefined, 2));
  expect(text).not.toContain(secret);
  expect(text).toContain(JSON.stringify(stays).slice(1, -1));
});

test.each([
  "const row = cache[token]=abc123def;",
  "UPDATE users SET name = 'a1b2c3d4' WHERE note = 'the password is gone'",
  'Content-Disposition: form-data; name="note"\r\n\r\na1b2c3d4\r\n',
  "https://example.com/doc?Signature=none&key=a",
  "-----BEGIN CERTIFICATE-----".concat("\nTUlJQg==\n"),
])("keeps values that only resemble one: %s", (text) => {
  expect(redactText(text)).toBe(text);
  expect(redact({ text }).value).toStrictEqual({ text });
});

test.each([
  [
    "set-cookie",
    `__Host-sid=${KEY}; Path=/app; Max-Age=60; HttpOnly`,
    /^__Host-sid=«cookie»; Path=\/app; Max-Age=60; HttpOnly$/,
  ],
  ["cookie", `theme=dark; sid="${KEY}"`, /^theme=«cookie»; sid="«cookie»"$/],
  ["Set-Cookie", `a=b; Path=/x, sid=${KEY}; Domain=a.test`, /^a=«cookie»; Path=\/x, sid=«cookie»; Domain=a\.test$/],
  [
    "cookies",
    [`sid=${KEY}; Expires=Wed, 21 Oct 2026 07:28:00 GMT`],
    /^sid=«cookie»; Expires=Wed, 21 Oct 2026 07:28:00 GMT$/,
  ],
])("redacts only the values of cookies in the field %s, twice as once", (name, value, expected) => {
  const once = redact({ [name]: value }).value;
  const text = String(Object.values(Object(once))[0]).replaceAll(/«redacted:cookie#\d+»/g, "«cookie»");
  expect(text).toMatch(expected);
  expect(redact(once).value).toStrictEqual(once);
  expect(findSecrets(JSON.stringify(once))).toStrictEqual([]);
  expect(redact({ url: `/x?s=${KEY}`, [name]: value }).value).not.toMatchObject({ url: expect.stringContaining(KEY) });
});
