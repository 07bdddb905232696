import { expect, test } from "vitest";
import { withoutXmlParts } from "./xml-parts.ts";

const without = (text: string, ...removed: readonly string[]): string =>
  withoutXmlParts(text, { isRemoved: (names) => removed.includes(names.join(".")), textOf: (part) => part });

test("removes an element with its content, with any namespace and attributes", () => {
  const soap = (time: string): string =>
    `<?xml version="1.0"?><s:Envelope xmlns:s="u"><s:Header><Time zone='>'>${time}</Time><id/></s:Header><s:Body>1</s:Body></s:Envelope>`;
  expect(without(soap("9:10"), "Envelope.Header.Time")).toBe(without(soap("11:30"), "Envelope.Header.Time"));
  expect(without(soap("9:10"), "Envelope.Header")).toBe(
    '<?xml version="1.0"?><s:Envelope xmlns:s="u"><s:Body>1</s:Body></s:Envelope>',
  );
  expect(without(soap("9:10"), "Envelope.Header.id")).not.toContain("<id/>");
});

test("removes every element at the path, and keeps others with that name elsewhere", () => {
  expect(without("<a><b>1</b><c><b>2</b></c><b>3</b>x</a>", "a.b")).toBe("<a><c><b>2</b></c>x</a>");
});

test("ignores tags in comments and CDATA", () => {
  const text = "<a><!-- <b> --><![CDATA[<b>]]><c>1</c></a>";
  expect(without(text, "a.b")).toBe(text);
  expect(without(text, "a.c")).toBe("<a><!-- <b> --><![CDATA[<b>]]></a>");
});

test.each(["<a><b></a>", "a < b > c", "<p>unclosed", "text"])("keeps %s, which isn't XML", (text) => {
  expect(without(text, "a.b", "b", "p", "a")).toBe(text);
});

test("changes the text of an element", () => {
  const upper = withoutXmlParts("<a>x<b>y</b>z</a>", {
    isRemoved: () => false,
    textOf: (text, names) => (names.join(".") === "a" ? text.toUpperCase() : text),
  });
  expect(upper).toBe("<a>X<b>y</b>Z</a>");
});
