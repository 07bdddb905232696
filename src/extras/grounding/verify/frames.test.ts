import { describe, expect, test } from "vitest";
import type { Sources } from "./sources.ts";
import type { VerifiedClaim } from "./verification.ts";
import { verifyGrounding } from "./verify-grounding.ts";

const WORKS = [
  "Acme built bicycles in Leipzig.",
  "They sold well abroad.",
  "The founder retired in 1911.",
  "Then the river froze.",
  "Trade stopped for a decade.",
  "Later Globex ran the ferry and the docks.",
].join(" ");

async function claimOf(response: string, sources: Sources = WORKS): Promise<VerifiedClaim | undefined> {
  const verified = await verifyGrounding(response, sources);
  if (!verified.ok) throw new Error(verified.error.message);
  return verified.value.claims[0];
}

describe("a name that its sources have, but not near what the claim says of it", () => {
  test("brings a claim just below partial support, and is named with its place", async () => {
    expect(
      await claimOf("In fact Globex built bicycles in Leipzig.", `${WORKS} In fact nothing is left.`),
    ).toMatchObject({
      score: 0.69,
      label: "ungrounded",
      missingNames: [],
      strayNames: [{ text: "Globex", start: 8, end: 14 }],
    });
  });

  test("counts once, however many there are", async () => {
    expect(
      await claimOf(
        "In Leipzig Globex and Initrode built bicycles.",
        `${WORKS} It snowed. It thawed. It rained. Initrode made glass.`,
      ),
    ).toMatchObject({
      score: 0.69,
      strayNames: [{ text: "Globex" }, { text: "Initrode" }],
    });
  });

  test("is not made near by a sentence of another source", async () => {
    const [made, ran] = ["Acme built bicycles in Leipzig.", "Globex ran the ferry."];
    const claim = "The firm Globex built bicycles in Leipzig.";
    expect((await claimOf(claim, [made, ran]))?.strayNames).toMatchObject([{ text: "Globex" }]);
    expect(await claimOf(claim, `${made} ${ran}`)).not.toHaveProperty("strayNames");
  });

  test("is stray only where no place of it is near", async () => {
    expect(
      await claimOf("The firm Globex built bicycles in Leipzig.", [
        WORKS,
        "In Leipzig bicycles were built by the firm Globex.",
      ]),
    ).toMatchObject({ score: 1 });
  });
});

describe("no name is stray", () => {
  test.each([
    ["in the words of its sentence", "In Leipzig Acme built bicycles.", WORKS],
    ["for a pronoun in its place", "They sold well abroad.", WORKS],
    ["two sentences away, where its own is followed by pronouns", "The founder of Acme retired in 1911.", WORKS],
    [
      "under another spelling within the sentence",
      "The wheat of America was sold abroad.",
      "The U.S. sold wheat abroad. It rained. It rained. It rained.",
    ],
    ["that stands alone beside words of grammar", "It is not in Leipzig.", WORKS],
    ["that is the whole claim", "NASA.", "NASA flew."],
  ])("%s", async (_, response, sources) => {
    expect(await claimOf(response, sources)).not.toHaveProperty("strayNames");
  });

  test("three sentences away it is", async () => {
    expect((await claimOf("It was Acme whose river froze.", WORKS))?.strayNames).toMatchObject([{ text: "Acme" }]);
  });

  test("when it is missing from all sources: that is a defect of its own", async () => {
    const claim = await claimOf("The firm Quillfax built bicycles in Leipzig.");
    expect(claim?.missingNames).toMatchObject([{ text: "Quillfax" }]);
    expect(claim).not.toHaveProperty("strayNames");
  });
});
