import { expect, test } from "vitest";
import { secretChanges } from "./secret-evidence.ts";

test("finds other secrets in an element that has nothing else", () => {
  const contact = (number: number): object => ({
    card: `«redacted:card#${number}»`,
    email: `«redacted:email#${number}»`,
    phone: `«redacted:phone#${number}»`,
  });
  const changeTo = (after: object): Parameters<typeof secretChanges>[0] => [
    {
      kind: "changed",
      adapter: "crm.add",
      role: "write",
      entries: [{ path: ["contacts", 1], before: contact(1), after }],
    },
  ];
  expect(secretChanges(changeTo(contact(2)))).toHaveLength(1);
  expect(secretChanges(changeTo({ ...contact(2), phone: "none" }))).toStrictEqual([]);
});
