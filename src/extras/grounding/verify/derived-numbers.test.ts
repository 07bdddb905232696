import { describe, expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { verifyGrounding } from "./verify-grounding.ts";

/** Numbers of a response that no source has, and numbers and units that contradict one. */
async function wrongNumbers(response: string, source: string): Promise<readonly string[]> {
  const { claims } = unwrap(await verifyGrounding(response, source));
  return claims.flatMap(({ missing, contradictions }) => [...missing, ...contradictions].map(({ text }) => text));
}

test("a number that follows by an implied factor doesn't hide a denial", async () => {
  const answer = "The plan does not include support and costs $120 per year.";
  const { claims } = unwrap(await verifyGrounding(answer, "The plan includes support and costs $10 per month."));
  expect(claims.flatMap(({ contradictions }) => contradictions.map(({ kind }) => kind))).toContain("negation");
});

describe("a number that follows from the sources by one step is theirs", () => {
  test.each([
    ["product with a number of the answer", "Four nights cost €88.", "The room costs €22 a night."],
    ["product with the months of a year", "The rent comes to $7,200 a year.", "The rent is $600 a month."],
    ["ratio by the months of a year", "That is $50 a month.", "The licence costs $600 a year."],
    ["rate of a number", "Copying 6,000 files takes 15 minutes.", "Copying takes 5 minutes per 2,000 files."],
    ["sum of two prices", "Two adults and three children pay £41.", "Adults pay £13, children £5."],
    [
      "difference of amounts",
      "Sales fell by 30 million euros.",
      "Sales fell from 210 million euros to 180 million euros.",
    ],
    ["difference of years", "It stood for 41 years.", "The tower stood from 1902 to 1943."],
    [
      "rest of a count",
      "Twelve members of the club did not vote.",
      "The club has 90 members. In May 78 members voted.",
    ],
    ["sum in two units", "It rests for 2 hours and 10 minutes.", "Let it rest for 90 minutes, then for 40 minutes."],
    ["difference in a smaller unit", "It rose by 48 cm.", "The river rose from 4.62 m to 5.10 m."],
    ["rest of a share", "The town pays 40%.", "The state pays 60% and the town the rest."],
    ["rest of two shares", "The others are 13%.", "Oak makes up 62%, beech 25%, and others the rest."],
    ["share of an amount", "The town pays €1.28 million.", "It costs €3.2 million; the state pays 60%."],
    ["share of an amount in words", "At least 90 m² are planted.", "Plots of 120 m². Three quarters are planted."],
    ["ratio of two numbers", "That is 18 of 45, or 40%.", "On the first day 18 came. The club has 45 members."],
    ["change of a number", "From 250 to 225 is a fall of 10%.", "Sales fell from 250 to 225."],
    [
      "time between two times",
      "It rang at 9:40; Ines came eight minutes later.",
      "At 9:40 it rang. At 9:48 Ines came.",
    ],
    ["spelled-out conversion", "The path is 2 km long, and 1 km is 1,000 m.", "The path is 2,000 m long."],
  ])("%s", async (_, response, source) => {
    expect(await wrongNumbers(response, source)).toEqual([]);
  });

  test.each([
    ["a wrong product", "Four nights cost €98.", "The room costs €22 a night.", ["Four", "98", "98"]],
    [
      "a wrong difference",
      "Sales fell by 40 million euros.",
      "Sales fell from 210 to 180 million euros.",
      ["40 million"],
    ],
    ["a sum of unlike units", "The tour takes 50 minutes.", "The tour takes 30 minutes for 20 people.", ["50"]],
    [
      "a wrong sum in two units",
      "It rests for 2 hours and 25 minutes.",
      "Let it rest for 90 minutes, then for 40.",
      ["25"],
    ],
    [
      "a wrong share of an amount",
      "The town pays €1.38 million.",
      "It costs €3.2 million; the state pays 60%.",
      ["1.38 million"],
    ],
    ["a wrong ratio", "That is 18 of 45, or 48%.", "On the first day 18 came. The club has 45 members.", ["48"]],
    ["a wrong change", "From 250 to 225 is a fall of 15%.", "Sales fell from 250 to 225.", ["15"]],
    [
      "a wrong time between two times",
      "It rang at 9:40; Ines came nine minutes later.",
      "At 9:40 it rang. At 9:48 Ines came.",
      ["nine"],
    ],
    ["a day of a month", "It runs every 15 minutes from 3 May.", "It runs every 12 minutes. Five buses run.", ["15"]],
  ])("but not %s", async (_, response, source, expected) => {
    expect(await wrongNumbers(response, source)).toEqual(expect.arrayContaining(expected));
  });
});
