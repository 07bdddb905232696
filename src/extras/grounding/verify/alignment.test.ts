import { describe, expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import type { VerifiedClaim } from "./verification.ts";
import { verifyGrounding } from "./verify-grounding.ts";

async function claimOf(response: string, source: string): Promise<VerifiedClaim> {
  const [claim] = unwrap(await verifyGrounding(response, source)).claims;
  if (claim === undefined) throw new Error("no claim");
  return claim;
}

describe("a claim that says something else than the sentence it is aligned with is ungrounded", () => {
  test.each([
    ["denial", "You are eligible for a full refund.", "You are not eligible for a full refund.", "eligible"],
    ["denial", "The permit can be renewed online.", "The permit cannot be renewed online.", "renewed"],
    ["hedge", "The filter will damage the pump.", "The filter may damage the pump.", "will"],
    ["hedge", "The filter damages the pump.", "The filter might damage the pump.", "damages"],
    ["condition", "Members get a full refund.", "Members get a full refund if they cancel before Friday.", "Members"],
    ["condition", "Forms are returned at once.", "Forms are returned at once when they are filed late.", "Forms"],
    ["number", "The rule covers cases 4, 4 and 7.", "The rule covers cases 3, 4 and 7.", "4"],
    ["number", "Doors open at 8:30 and close at 8:30.", "Doors open at 8:30 and close at 17:45.", "8:30"],
    ["unit", "The permit is valid for 30 hours.", "The permit is valid for 30 days.", "30"],
    ["unit", "The deposit is €400.", "The deposit is $400.", "400"],
    ["bound", "Applicants are at most 18 years old.", "Applicants are at least 18 years old.", "18"],
    [
      "number",
      "The north tower has 14 floors.",
      "The north tower has 62 floors. Its garage was dug by another firm. Guards walk round it at night. " +
        "Pigeons are fed elsewhere. The ticket office employs 14 clerks.",
      "14",
    ],
  ])("%s: %s", async (kind, response, source, word) => {
    const { conflicts, label } = await claimOf(response, source);
    expect([label, conflicts?.map((conflict) => [conflict.kind, conflict.text])]).toEqual([
      "ungrounded",
      [[kind, word]],
    ]);
  });

  test.each([
    ["You are not eligible for a full refund.", "You are eligible for a full refund."],
    ["The valve fails to close.", "The valve can close."],
  ])("denied by the claim alone: %s", async (response, source) => {
    expect(await claimOf(response, source)).toMatchObject({ label: "ungrounded", negationOnlyInClaim: true });
  });

  test.each([
    ["The temperature is -12 degrees.", "The temperature is 12 degrees.", "-12"],
    ["The temperature is minus 12 degrees.", "The temperature is 12 degrees.", "12"],
  ])("another sign: %s", async (response, source) => {
    expect((await claimOf(response, source)).missingNumbers).toHaveLength(1);
  });

  test.each([
    ["The order is ready at 4:04 p.m.", "The order is ready at 4:00 p.m.", "4:04"],
    ["One (8) copy is required.", "One (1) copy is required. The desk opens at 8:30 a.m.", "8"],
  ])("another time of day, or a part of one: %s", async (response, source, word) => {
    expect((await claimOf(response, source)).missingNumbers.map(({ text }) => text)).toEqual([word]);
  });

  test("an opposite, listed or by its prefix", async () => {
    const [one, other] = [
      await claimOf("The council rejected the plan.", "The council approved the plan."),
      await claimOf("The old road is unsuitable for lorries.", "The old road is suitable for lorries."),
    ];
    expect([one, other].map(({ label, antonyms }) => [label, antonyms.map(({ text }) => text)])).toEqual([
      ["ungrounded", ["rejected"]],
      ["ungrounded", ["unsuitable"]],
    ]);
  });
});

describe("a claim that says the same in other words has no conflict", () => {
  test.each([
    ["Three guards left the gate.", "When the alarm rang, which shook the hall, three guards left the gate."],
    ["Three guards left the gate.", "Three guards left the gate when the horn sounded."],
    ["People expect him to stay on.", "People expect him to stay on, even if they vote for others."],
    ["The shop opens at 9 a.m.", "The shop opens at 9:00 a.m."],
    ["Doors open at 8:30 and close at 17:45, and again at 8:30.", "Doors open at 8:30, close at 17:45."],
    ["You can avoid paying the fee.", "You don't have to pay the fee."],
    ["The permit is no longer valid.", "The permit is not valid any longer."],
    ["No, the permit is valid.", "The permit is valid."],
    ["The pump may fail.", "The pump could fail in winter."],
    ["If they cancel before Friday, members get a refund.", "Members get a refund if they cancel before Friday."],
    ["The permit is valid for at most 30 days.", "The permit is valid for no more than 30 days."],
    ["The shop is closed.", "The shop is not open."],
  ])("%s", async (response, source) => {
    const { conflicts, antonyms, negationOnlyInClaim } = await claimOf(response, source);
    expect([conflicts, antonyms, negationOnlyInClaim]).toEqual([undefined, [], false]);
  });
});
