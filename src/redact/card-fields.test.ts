import { describe, expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";

const { redact, redactText } = createRedactor();

/** A number with the first digits of an issuer, and a right check digit. */
const VISA = "4242424242424242";
const HIDDEN = /^«redacted:card-number#\d+»$/;

const IDS = [
  "id",
  "userId",
  "order_id",
  "orderNumber",
  "tracking-no",
  "invoiceNumber",
  "timestamp",
  "sku",
  "ref",
  "ticket",
];
const CARDS = [
  "card",
  "cardNumber",
  "pan",
  "number",
  "cc",
  "creditCardId",
  "card_ref",
  "value",
  "accountNumber",
  "note",
  "line",
  "record",
];

describe.each([
  ["a text", VISA],
  ["a number", Number(VISA)],
  ["a bigint", BigInt(VISA)],
])("digits that may be a card number, as %s", (_what, digits) => {
  test.each(IDS)("aren't redacted under %s, the name of another number", (name) => {
    const value = { [name]: digits, list: { [name]: [digits] } };
    expect(redact(value)).toStrictEqual({ value, secrets: [] });
  });

  test.each(CARDS)("are redacted under %s", (name) => {
    expect(Object.values(Object(redact({ [name]: digits }).value))).toStrictEqual([expect.stringMatching(HIDDEN)]);
    expect(JSON.stringify(redact({ [name]: { items: [digits] } }).value, String)).not.toContain(VISA);
  });
});

test("redacts a JSON text like the data in it", () => {
  for (const name of IDS) {
    const texts = [{ [name]: VISA }, { [name]: Number(VISA) }].map((data) => JSON.stringify(data));
    expect(texts.map(redactText)).toStrictEqual(texts);
  }
  for (const name of CARDS) expect(redactText(JSON.stringify({ [name]: VISA }))).not.toContain(VISA);
});

test("redacts a card number in a sentence under the name of an id", () => {
  expect(redact({ id: `card ${VISA}` }).value).toStrictEqual({ id: expect.stringMatching(/^card «redacted/) });
});

test("what is declared a secret is hidden though its name says that it numbers something", () => {
  const value = { orderId: VISA };
  const shown = [
    { fields: ["orderId"] },
    { values: [{ name: "MINE", value: VISA }] },
    { patterns: ["\\d{16}"] },
    { paths: ["orderId"] },
  ].map((options) => JSON.stringify(createRedactor(options).redact(value).value));
  expect(shown.filter((text) => text.includes(VISA))).toStrictEqual([]);
});
