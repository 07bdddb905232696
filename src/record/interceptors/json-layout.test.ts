import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText, layoutJson, parseLayout } from "./json-layout.ts";
import { jsonValue, propertyName } from "../../../test-support/arbitraries.ts";

test.each([
  ['{"a":[1,{}],"b":null}', undefined],
  ['{\n  "a": [\n    1,\n    {}\n  ]\n}\n', { indent: "  ", end: "\n" }],
  ['[\n\t"x"\n]', { indent: "\t" }],
  ['{"a": [1, 2], "b": {"c": "d, e: f"}}\n', { spaced: true, end: "\n" }],
  ['[{"a": 1}]', { spaced: true }],
  ['{"limit":9007199254740991}', undefined],
])("the layout of %j restores it", (text, layout) => {
  const read = jsonText(text);
  expect(read?.layout).toStrictEqual(layout);
  expect(layoutJson(read?.json, parseLayout(JSON.parse(JSON.stringify(read?.layout ?? null))))).toBe(text);
});

test.each([
  '{ "event" : "paid" }',
  '{"price":1.0}',
  '{"price":1e400}',
  '{"zero":-0}',
  '{"id":12345678901234567890}',
  '{"a":1,"a":2}',
  '{"10":1,"9":2}',
  '{"name":"\\u00e9"}',
  '{\r\n  "a": 1\r\n}',
  ' {"a":1}',
  "true",
  "<a/>",
])("keeps %j as text, because its data can't restore it", (text) => {
  expect(jsonText(text)).toBe(undefined);
});

test("recognizes data in any supported layout", { tags: "deep" }, () => {
  const layout = fc.constantFrom(
    {},
    { indent: " " },
    { indent: "\t", end: "\n" },
    { spaced: true as const, end: "\r\n" },
  );
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(propertyName(), jsonValue()), fc.array(jsonValue())), layout, (data, given) => {
      const json: unknown = JSON.parse(JSON.stringify(data));
      const text = layoutJson(json, given);
      const read = jsonText(text);
      if (read !== undefined) expect(layoutJson(read.json, read.layout ?? {})).toBe(text);
      expect(read?.json ?? JSON.parse(text)).toEqual(JSON.parse(text));
    }),
  );
});
