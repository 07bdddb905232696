import { expect, test } from "vitest";
import { recordingRules } from "./recording-rules.ts";
import { requestIdentity } from "./request-keys.ts";
import { withHttpFields } from "./http-fields.ts";
import { boundaryOf, parseMultipart } from "./multipart.ts";

const post = (parts: object): unknown => [{ method: "POST", origin: "http://a.test", path: "/a", ...parts }];
const fieldsOf = (parts: object): unknown => {
  const [{ method: _method, origin: _origin, path: _path, ...fields }] = [
    Object(Reflect.get(Object(withHttpFields(post(parts))), 0)),
  ];
  return fields;
};
const rules = recordingRules();
const isSame = (one: object, other: object): boolean =>
  requestIdentity("fetch", rules.request("fetch", post(one))) ===
  requestIdentity("fetch", rules.request("fetch", post(other)));

test.each([
  ["q=a+b&n=1&n=2&flag", { q: "a b", n: ["1", "2"], flag: "" }],
  ["%C3%BC=%2F&x[]=1", { ü: "/", "x[]": "1" }],
  ["__proto__=1&toString=2", JSON.parse('{"__proto__":"1","toString":"2"}')],
])("parses the query %s to fields", (query, fields) => {
  expect(fieldsOf({ query })).toStrictEqual({ query: fields });
});

test("ignores order and encoding of parameters, but not the order of one parameter's values", () => {
  expect(isSame({ query: "a=1&b=x%20y" }, { query: "b=x+y&a=1" })).toBe(true);
  expect(isSame({ query: "a=1&a=2" }, { query: "a=2&a=1" })).toBe(false);
  expect(isSame({ query: "a=1" }, { query: "a=2" })).toBe(false);
});

test.each([
  ["a form as text", "grant=code&nonce=a%2Fb", { form: { grant: "code", nonce: "a/b" } }],
  ["JSON with 16 digits", '{"max":9007199254740991}', { body: { max: 9_007_199_254_740_991 } }],
  [
    "an integer that no number holds",
    '{"id":12345678901234567890,"s":"12345678901234567890"}',
    {
      body: { id: { $t: "bigint", v: "12345678901234567890" }, s: "12345678901234567890" },
    },
  ],
  ["prose with a sign of equality", "a = b", { body: "a = b" }],
  ["base64", "aGVsbG8=", { form: { aGVsbG8: "" } }],
])("%s", (_what, body, fields) => {
  expect(fieldsOf({ body })).toStrictEqual(fields);
});

test("distinguishes integers that differ beyond the precision of numbers", () => {
  expect(isSame({ body: '{"id":9007199254740992}' }, { body: '{"id":9007199254740993}' })).toBe(false);
});

test("returns the same object for a request with fields, and for an adapter that isn't HTTP", () => {
  const request = post({ query: { a: "1" }, form: { b: "2" } });
  expect(withHttpFields(request)).toBe(request);
  const other = [{ query: "a=1", method: "GET" }];
  expect(withHttpFields(other)).toBe(other);
});

test("is idempotent", () => {
  for (const parts of [{ query: "a=1&a=2" }, { body: "a=1" }, { body: '{"form":[["a","1"]]}' }]) {
    const once = withHttpFields(post(parts));
    expect(withHttpFields(JSON.parse(JSON.stringify(once)))).toStrictEqual(once);
  }
});

const CRLF = "\r\n";
const part = (head: readonly string[], content: string): string => [...head, "", content].join(CRLF);
const multipart = (boundary: string, parts: readonly string[]): string =>
  `${parts.map((one) => `--${boundary}${CRLF}${one}${CRLF}`).join("")}--${boundary}--${CRLF}`;

test("parses a multipart text of an older recording to its parts", () => {
  const body = multipart("boundary", [
    part(['Content-Disposition: form-data; name="note"'], "late\r\nparcel"),
    part(['Content-Disposition: form-data; name="file"; filename="a.txt"', "Content-Type: text/plain"], "hi"),
  ]);
  expect(fieldsOf({ body })).toStrictEqual({
    form: {
      note: "late\r\nparcel",
      file: { name: "a.txt", type: "text/plain", bytes: { $t: "bytes", v: { kind: "Buffer", base64: "aGk=" } } },
    },
  });
});

test.each([
  ['multipart/form-data; boundary="a b"', "a b"],
  ["multipart/related; type=x; boundary=abc; start=1", "abc"],
  ["MULTIPART/Mixed;Boundary=abc", "abc"],
  ["text/plain; boundary=abc", undefined],
])("the boundary of %s is %s", (type, boundary) => {
  expect(boundaryOf(type)).toBe(boundary);
});

const FIELD = 'Content-Disposition: form-data; name="note"';
const MAIL = 'Content-Disposition: attachment; filename="a.pdf"';
const FILE = `${FIELD}; filename="a.txt"`;

test.each<readonly [string, readonly string[], readonly string[]]>([
  ["the type of a field", [FIELD, "Content-Type: application/json"], [FIELD, "Content-Type: text/csv"]],
  ["the type of a file", [FILE, "Content-Type: text/csv"], [FILE, "Content-Type: text/html"]],
  ["another header of a file", [FILE, "Content-ID: <a>"], [FILE, "Content-ID: <b>"]],
  ["an extended filename", [`${FIELD}; filename*=UTF-8''a.txt`], [`${FIELD}; filename*=UTF-8''b.txt`]],
  ["the filename of an attachment", [MAIL], [MAIL.replace("a.pdf", "b.pdf")]],
  ["the id of a part", ["Content-Type: image/png", "Content-ID: <a>"], ["Content-Type: image/png", "Content-ID: <b>"]],
  ["the encoding of a part", ["Content-Transfer-Encoding: base64"], ["Content-Transfer-Encoding: binary"]],
])("distinguishes %s in a multipart body", (_name, one, other) => {
  const sent = (head: readonly string[]): object => ({ body: multipart("boundary", [part(head, "hi")]) });
  expect(isSame(sent(one), sent(other))).toBe(false);
  expect(isSame(sent(one), sent(one.map((line) => line.replace(/^[\w-]+/, (name) => name.toLowerCase()))))).toBe(true);
});

test("the text of a form's field keeps its name, whatever its headers", () => {
  const body = multipart("boundary", [
    part(['Content-Disposition: form-data; name="password"', "Content-Transfer-Encoding: 8bit"], "hunter2-pass"),
    part([FIELD, "Content-Type: application/json"], "{}"),
  ]);
  expect(fieldsOf({ body })).toStrictEqual({
    form: { password: "hunter2-pass", note: "{}" },
    partHeaders: { password: { "content-transfer-encoding": "8bit" }, note: { type: "application/json" } },
  });
});

test("a plain field and a file of a form have no headers", () => {
  const body = multipart("boundary", [
    part([FIELD, "Content-Type: text/plain; charset=utf-8", "Content-Length: 2"], "hi"),
    part([FILE, "Content-Type: text/csv"], "a"),
  ]);
  const file = { name: "a.txt", type: "text/csv", bytes: { $t: "bytes", v: { kind: "Buffer", base64: "YQ==" } } };
  expect(fieldsOf({ body })).toStrictEqual({ form: { note: ["hi", file] } });
});

test("parts keep their bytes, and a cut-off body has none", () => {
  const content = Buffer.from([0, 13, 10, 255]);
  const text = multipart("b", [part(["Content-Type: image/png"], content.toString("latin1"))]);
  const body = Buffer.from(text, "latin1");
  expect(parseMultipart(body, "b")).toStrictEqual([{ type: "image/png", content }]);
  expect(parseMultipart(body.subarray(0, -5), "b")).toBe(undefined);
  expect(parseMultipart(Buffer.from("text"), "b")).toBe(undefined);
});
