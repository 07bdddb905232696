import { expect, test } from "vitest";
import { dissimilarCall } from "./new-call-evidence.ts";

test.each([
  "a receipt",
  "9",
  "1999",
  "收据",
  "ใบเสร็จ",
  "Квитанция",
  "x",
  "xх",
  "✓",
  "",
  "…",
  9,
  -1,
  0.5,
  2 ** 60,
  true,
  false,
])("the other response to one more request differs in %j", (value) => {
  const call = { adapter: "llm.ask", occurrence: 0, request: [], returns: "value" } as const;
  const { response } = dissimilarCall({ ...call, response: { type: "text", value, list: [value] } });
  expect(response).toStrictEqual({
    type: "text",
    value: expect.toSatisfy((other: unknown) => typeof other === typeof value && other !== value),
    list: [expect.toSatisfy((other: unknown) => typeof other === typeof value && other !== value)],
  });
});

test("the other response keeps the names in a JSON text", () => {
  const call = { adapter: "llm.ask", occurrence: 0, request: [], returns: "value" } as const;
  const response = { text: '{"company":"Ada","rows":[{"total":7,"paid":true}]}' };
  expect(dissimilarCall({ ...call, response }).response).toStrictEqual({
    text: '{"company":"Nqn","rows":[{"total":8,"paid":false}]}',
  });
});
