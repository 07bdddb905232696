import { describe, expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import type { Sources } from "./sources.ts";
import type { Verification } from "./verification.ts";
import { verifyGrounding } from "./verify-grounding.ts";

async function verify(response: string, sources: Sources): Promise<Verification<string>> {
  return unwrap(await verifyGrounding(response, sources));
}

/** Contradictions as `kind: word / source's word`. */
async function contradictions(response: string, sources: Sources): Promise<string[]> {
  const { contradictions } = await verify(response, sources);
  return contradictions.map(({ kind, text, sourceWord }) => `${kind}: ${text} / ${sourceWord}`);
}

describe("a claim contradicts its source", () => {
  test.each([
    [
      "You are eligible for a full refund.",
      "You are not eligible for a full refund.",
      "negation: You are eligible / not eligible",
    ],
    [
      "The permit can be renewed online.",
      "The permit cannot be renewed online.",
      "negation: can be renewed / cannot be renewed",
    ],
    ["The deposit is refundable.", "The deposit is non-refundable.", "negation: is refundable / non-refundable"],
    [
      "You are not eligible for a full refund.",
      "You are eligible for a full refund.",
      "negation: not eligible / You are eligible",
    ],
    ["The valve fails to close.", "The valve can close.", "negation: fails to close / can close"],
    [
      "The deposit is refundable.",
      "It is not true that the deposit is refundable.",
      "negation: The deposit / not true that the deposit",
    ],
    [
      "The deposit is refundable.",
      "We deny that the deposit is refundable.",
      "negation: The deposit / deny that the deposit",
    ],
    [
      "The deposit is refundable.",
      "The tenant wrongly claims that the deposit is refundable.",
      "negation: The deposit / wrongly claims that the deposit",
    ],
    [
      "It is false that the deposit is refundable.",
      "The deposit is refundable.",
      "negation: false that the deposit / The deposit",
    ],
    [
      "Unfortunately, we do not have lockers.",
      "There are 200 lockers in the hall.",
      "negation: not have lockers / lockers",
    ],
    ["The club has no boats.", "There are 30 boats in the shed.", "negation: no boats / boats"],
    ["It was sold to them.", "It was never sold.", "negation: It was sold / never sold"],
    ["The council rejected the plan.", "The council approved the plan.", "antonym: rejected / approved"],
    [
      "The old road is unsuitable for lorries.",
      "The old road is suitable for lorries.",
      "antonym: unsuitable / suitable",
    ],
    [
      "The north pier is hotter than the south.",
      "The north pier is colder than the south.",
      "antonym: hotter / colder",
    ],
    ["The rule covers cases 4, 4 and 7.", "The rule covers cases 3, 4 and 7.", "number: 4 / 3"],
    ["The fee is 30 dollars a year.", "The fee is 45 dollars a year.", "number: 30 / 45"],
    ["The temperature is -12 degrees.", "The temperature is 12 degrees.", "number: -12 / 12"],
    ["The order is ready at 4:04 p.m.", "The order is ready at 4:00 p.m.", "number: 4:04 p.m. / 4:00 p.m."],
    ["The permit is valid for 30 hours.", "The permit is valid for 30 days.", "unit: hours / days"],
    ["The deposit is €400.", "The deposit is $400.", "unit: € / $"],
    ["The monthly pass is red.", "The weekly pass is red.", "unit: monthly / weekly"],
    ["Applicants are at most 18 years old.", "Applicants are at least 18 years old.", "bound: 18 / at least"],
    ["Boxes must be heavier than 8 kilograms.", "Boxes must not be heavier than 8 kilograms.", "bound: 8 / at most"],
    [
      "Globex built bicycles in Leipzig.",
      "Acme built bicycles in Leipzig. Later Globex ran the ferry.",
      "name: Globex / Acme",
    ],
    ["The clinic opens at 8 p.m.", "The clinic opens at 8 a.m. A visit costs 20 pounds.", "number: 8 p.m. / 8 a.m."],
    ["It runs from Monday to Saturday.", "It runs from Monday to Friday.", "name: Saturday / Friday"],
    ["The fair is in May.", "The fair is in June. It may rain.", "name: May / June"],
    ["Acme bought Globex in 1990.", "Globex bought Acme in 1990.", "roles: Acme / Globex"],
    ["Rust causes heat.", "Heat causes rust.", "roles: Rust / Heat"],
    [
      "The union owns the hall, and the parish cleans the yard.",
      "The parish owns the hall; the union cleans the yard.",
      "roles: union / parish",
    ],
    ["Every lamp has a timer.", "Some lamps have a timer.", "share: Every / Some"],
    ["The pool is open to everyone.", "The pool is open only to members.", "share: everyone / only"],
    ["The club always meets on Mondays.", "The club usually meets on Mondays.", "share: always / usually"],
    [
      "The red lamp is cheaper than the blue one.",
      "The red lamp costs 30 euros, the blue one 20 euros.",
      "roles: cheaper / 30 > 20",
    ],
    [
      "Oak is lighter than pine.",
      "A board of oak weighs 9 kilograms. A board of pine weighs 6 kilograms.",
      "roles: lighter / 9 > 6",
    ],
    ["Guests pay first and unpack afterwards.", "Guests first unpack and then pay.", "roles: pay / unpack"],
    ["Lunch is served from 2 p.m.", "Lunch is served until 2 p.m.", "bound: 2 p.m. / at most"],
    ["Tell us no sooner than 10 days after the loss.", "Tell us within 10 days of the loss.", "bound: 10 / at most"],
    ["The mark is one not exceeding 65.", "The mark is at least 65.", "bound: 65 / at least"],
    ["A batch has at least 50 parcels.", "A batch is limited to 50 parcels.", "bound: 50 / at most"],
    [
      "The trail from Dale is short.",
      "The trail from Moor is short; the trail from Dale is closed.",
      "name: Dale / Moor",
    ],
    ["Paper is collected on Fridays.", "Paper is collected on Mondays, glass on Fridays.", "name: Fridays / Mondays"],
    [
      "Lamps must not be used with oil.",
      "Lamps can be used with or without oil.",
      "negation: not be used / can be used",
    ],
    [
      "Pulse rates did not improve in the first group.",
      "Pulse rates improved in the first group but did not change in the second.",
      "negation: not improve / improved",
    ],
  ])("%s", async (response, source, expected) => {
    expect(await contradictions(response, source)).toEqual([expected]);
    expect(await contradictions(source, source)).toEqual([]);
  });

  test("by a number that no source has", async () => {
    expect(await contradictions("The bridge is 300 metres long.", "The bridge is old.")).toEqual([
      "number: 300 / undefined",
    ]);
  });

  test("makes its label ungrounded at any support, without a citation", async () => {
    const { support, label, claims, citations } = await verify("The permit is red. It costs 30 dollars.", [
      { document: "permit.pdf", page: 2, text: "The permit is red. It costs 45 dollars." },
    ]);
    expect([support, label, claims.map((claim) => claim.label), citations.map(({ claim }) => claim)]).toEqual([
      expect.closeTo(0.69, 1),
      "ungrounded",
      ["grounded", "ungrounded"],
      [0],
    ]);
    expect(claims[1]?.contradictions).toEqual([
      {
        kind: "number",
        text: "30",
        start: 28,
        end: 30,
        sourceWord: "45",
        source: {
          document: "permit.pdf",
          page: 2,
          start: 19,
          end: 39,
          quote: "It costs 45 dollars.",
          score: expect.any(Number),
        },
      },
    ]);
  });
});

describe("a claim in other words doesn't contradict its source", () => {
  test.each([
    ["The deposit is not refundable.", "It is not true that the deposit is refundable."],
    ["The deposit is refundable.", "We do not deny that the deposit is refundable."],
    ["Three guards left the gate.", "When the alarm rang, which shook the hall, three guards left the gate."],
    ["People expect him to stay on.", "People expect him to stay on, even if they vote for others."],
    ["The shop opens at 9 a.m.", "The shop opens at 9:00 a.m."],
    ["You can avoid paying the fee.", "You don't have to pay the fee."],
    ["The permit is no longer valid.", "The permit is not valid any longer."],
    ["No, the permit is valid.", "The permit is valid."],
    ["The permit is valid for at most 30 days.", "The permit is valid for no more than 30 days."],
    ["The shop is closed.", "The shop is not open."],
    ["Smoking is not allowed in the hall.", "Smoking is forbidden in the hall."],
    ["Globex was bought by Acme in 1990.", "Acme bought Globex in 1990."],
    ["Voting online is not possible.", "Voting by post is possible; voting online is not."],
    ["There are two plans: Basic and Premium.", "The Basic plan is free. The Premium plan costs 9 dollars."],
    ["In Leipzig Acme built bicycles.", "Acme built bicycles in Leipzig. Later Globex ran the ferry."],
    ["Every nurse speaks two or more languages.", "All nurses speak at least two languages."],
    ["The clinic is open from 8 a.m. to 6 p.m.", "The clinic treats patients between 8 a.m. and 6 p.m. on weekdays."],
    ["Doors open at 8:30 and close at 17:45.", "Doors open at 8:30, close at 17:45."],
    ["Almost all lamps have a timer.", "Most lamps have a timer."],
    ["The most common lamp has a timer.", "Some lamps have a timer. The most common lamp does."],
    ["The blue lamp is cheaper than the red one.", "The red lamp costs 30 euros, the blue one 20 euros."],
    ["Guests unpack before they pay.", "Guests first unpack and then pay."],
    ["On Sundays it shows old films.", "Old films are shown on Sundays."],
    ["The deposit is kept provided the key is lost.", "The deposit is taken and kept if the key is lost."],
    ["You can't buy stamps on the ferry.", "The crew of the ferry does not sell stamps."],
    ["The notice period is 14 days.", "The notice period is two weeks. Leave is requested 14 days ahead."],
    ["You pay no fee if you order online.", "The fee is waived if you order online."],
    [
      "Boxes under 5 kilograms cost 2 euros.",
      "Boxes must weigh at least 5 kilograms; those that weigh less cost 2 euros.",
    ],
    ["It opens on 29/08/2025.", "It opens on 29 August 2025."],
    ["The council criticised the plan.", "The council criticized the plan."],
    ["Nobody but Ines has a key.", "Only Ines has a key."],
    ["No one but the owner may open it.", "Only the owner may open it."],
    ["Ladders and swimming are off limits.", "No ladders and no swimming."],
    ["Gradual damage is excluded.", "We do not pay for damage that is gradual."],
  ])("%s", async (response, source) => {
    expect(await contradictions(response, source)).toEqual([]);
  });
});

describe("treats equal quantities as equal words", () => {
  test.each([
    ["The contract lasts 24 months.", "The contract lasts two years."],
    ["The answer comes within 48 hours.", "The answer comes within two days."],
    ["The path is 1.5 km long.", "The path is 1,500 m long."],
    ["20 % of the members voted.", "One fifth of the members voted."],
    ["Three quarters of the corals survived.", "75 percent of the corals survived."],
    ["The tour takes one and a half hours.", "The tour takes 90 minutes."],
    ["A late book costs $0.20 a day.", "A late book costs 20 cents a day."],
    ["It closes at 7:30 pm.", "It closes at 19:30."],
    ["The fair opens on 2024-05-04.", "The fair opens on May 4, 2024."],
    ["The fair opens on 4 May 2024.", "The fair opens on May 4th, 2024."],
  ])("%s / %s", async (response, source) => {
    for (const [claim, text] of [
      [response, source],
      [source, response],
    ]) {
      const { support, contradictions } = await verify(claim ?? "", text ?? "");
      expect([(support ?? 0) > 0.9, contradictions]).toEqual([true, []]);
    }
  });

  test("reports unequal quantities as a contradiction", async () => {
    expect(await contradictions("The contract lasts 23 months.", "The contract lasts two years.")).not.toEqual([]);
    expect(await contradictions("The path is 1.5 km long.", "The path is 15,000 m long.")).not.toEqual([]);
  });
});

describe("reports a missing qualification as a note, without changing the support", () => {
  test.each([
    ["Members get a full refund.", "Members get a full refund if they cancel before Friday.", "condition: if … cancel"],
    ["The filter damages the pump.", "The filter may damage the pump.", "hedge: may"],
  ])("%s", async (response, source, note) => {
    const { contradictions, claims, support } = await verify(response, source);
    expect([contradictions, claims[0]?.notes.map(({ kind, sourceWord }) => `${kind}: ${sourceWord}`), support]).toEqual(
      [[], [note], 0.999999],
    );
  });
});

describe("gives full support only to a claim as written in one sentence", () => {
  test.each([
    ["The dam holds 12.5 million litres.", "The dam holds 12.5\nmillion litres.", 1],
    ["Each box weighs 35 kilograms.", "Each box weighs\n35 kilograms.", 1],
    ["The refundable deposit is 1,200 dollars.", "The re-\nfundable deposit is 1\u202f200 dollars.", 1],
    ["The ca\u00adfé is open.", "The café is open.", 1],
    ["The total is 12\u00ad34.5 dollars.", "The total is 1234.\u00ad5 dollars.", 1],
    ["The well-known café is open.", "The well-\nknown café is open.", 0.999999],
    ["The hall is open and red.", "The hall is red and open.", 0.999999],
    ["Der Vertrag ist kündbar.", "Der Vertrag ist nicht kündbar und läuft zwei Jahre.", 0.84],
    ["Der Vertrag ist nicht kündbar.", "Der Vertrag ist nicht kündbar und läuft zwei Jahre.", 1],
    ["Le contrat est résiliable.", "Le contrat n'est pas résiliable avant la fin du mois.", 0.75],
    ["契約は解約できる", "契約は解約できない。二年間続く。", 0.84],
  ])("%j of %j: %d", async (response, source, expected) => {
    expect((await verify(response, source)).support).toBe(expected);
  });
});

describe("ignores words that name the sources", () => {
  test.each([
    "According to the provided document, the permit is red.",
    "Based on the context provided, the permit is red.",
    "As stated in the document, the permit is red.",
    "The document states that the permit is red.",
    "Per your documents, the permit is red.",
  ])("%s", async (response) => {
    const { claims, support } = await verify(response, "The permit is red.");
    expect([claims.map(({ text }) => text), support]).toEqual([[response], 1]);
  });
});

describe("skips only a sentence that says the answer isn't in the sources", () => {
  test.each([
    "The document does not say when it opens.",
    "The provided context doesn't contain any information about prices.",
    "There is no information about prices in the document.",
    "I could not find this in the documents.",
    "The opening hours are not mentioned in the provided text.",
    "I don't know.",
    "The notice and its annex do not specify whether dogs are allowed.",
    "Neither the abstract nor the comment says what it costs.",
    "Sorry, there is no information on whether it is open on Sundays.",
    "The licence says nothing about a trial.",
    "I could not find anything about parking in the sources.",
    "There's nothing about parking in these rules.",
    "No figures on parking appear in the report.",
    "The manual doesn't cover parking.",
    "They mention trains, but not parking.",
    "What parking costs isn't stated.",
    "The rules I have don't deal with parking.",
    "The lease as given here doesn't mention parking.",
    "The leaflets say nothing on parking.",
    "The policy only covers boats.",
    "Parking isn't addressed in this section.",
    "No parking rates are given.",
    "There's no forecast of tides in this text.",
    "The brochure lists the boats, but doesn't say what they cost.",
    "It isn't mentioned.",
    "The other two winners aren't identified.",
  ])("refusal: %s", async (response) => {
    expect((await verify(response, "The hall is red.")).label).toBe("no_claims");
  });

  test.each([
    ["We do not offer refunds.", "We offer refunds within 30 days."],
    ["There is no evidence that the pill works.", "Three trials are evidence that the pill works."],
    ["The plan has no data limit.", "The plan has a data limit of 5 GB."],
    ["Sorry, the warranty ends after 3 days.", "The warranty ends after 3 years."],
    ["Unfortunately, we do not have lockers.", "There are 200 lockers in the hall."],
    ["We are unable to repair phones.", "We are able to repair phones."],
    ["The contract does not include parking.", "The contract includes parking."],
    ["The minister did not say when the bridge opens.", "The minister said when the bridge opens."],
    ["There is no mention fee.", "There is a mention fee."],
    ["No refunds are given.", "Refunds are given."],
    ["There is no deposit in the contract.", "There is a deposit in the contract."],
  ])("claim: %s", async (response, source) => {
    const { label, nonClaims } = await verify(response, source);
    expect([label, nonClaims]).toEqual(["ungrounded", []]);
  });
});
