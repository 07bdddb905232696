import { describe, expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { verifyGrounding } from "./verify-grounding.ts";

/** Contradictions as `kind: word / source's word`. */
async function contradictions(response: string, source: string): Promise<string[]> {
  const { contradictions } = unwrap(await verifyGrounding(response, source));
  return contradictions.map(({ kind, text, sourceWord }) => `${kind}: ${text} / ${sourceWord}`);
}

describe("a claim relates the words of its source in a different way", () => {
  test.each([
    ["The goat chased the shepherd.", "The shepherd chased the goat.", "roles: goat / shepherd"],
    ["Rilke admired the young painter.", "The young painter admired Rilke during the war.", "roles: Rilke / young"],
    ["Corvo Ltd bought Almo from Tarn.", "Tarn bought Almo from Corvo Ltd.", "roles: Corvo / Tarn"],
    ["Almo was sued by the union.", "The union was sued by Almo last spring.", "roles: Almo / union"],
    ["The clerk signs the form.", "The form is signed by the notary and not by the clerk.", "roles: clerk / notary"],
    ["Parking is paid by card rather than in cash.", "Parking is paid in cash rather than by card.", undefined],
    ["A second ticket costs €9 a day.", "A first ticket costs €9 and a second ticket €7 a day.", undefined],
    [
      "Boats on the lake may do 12 km/h.",
      "Boats on the river may do 12 km/h, while boats on the lake may do 8 km/h.",
      undefined,
    ],
    ["Prices fell because of strikes.", "Prices fell because of a good harvest.", "cause: strikes / good"],
    [
      "Due to frost, the race was cancelled.",
      "The race was cancelled because two riders were ill.",
      "cause: frost / two",
    ],
    ["The tower was renovated in 2031.", "The tower will be renovated in 2031.", "tense: renovated / will renovated"],
    ["The club will extend the stand.", "The club has extended the stand.", "tense: extend / extended"],
    [
      "You may keep a parrot.",
      "You may keep a parrot only with the owner's consent.",
      "condition: You / only … owner's",
    ],
    [
      "The line will reopen in May.",
      "The line will reopen in May if the tests succeed.",
      "condition: The / if … tests",
    ],
    ["All pupils get a pass.", "Pupils under 12 get a pass.", "share: All / Pupils under"],
    [
      "A boat may be hired, provided you have a licence.",
      "A boat may be hired unless the lake is frozen.",
      "condition: licence / unless",
    ],
    ["A boat may be hired only if the lake is calm.", "A boat may be hired by every guest.", "condition: lake / A"],
    [
      "The race was cancelled on account of frost.",
      "The race was cancelled since the riders were ill.",
      "cause: frost / riders",
    ],
    ["Corvo purchased the rights to Almo from Tarn.", "In 2019 Tarn bought the rights to Almo from Corvo.", undefined],
    ["Varnish the frame, and after that sand it.", "Sand the frame, then varnish it.", undefined],
    [
      "The mill was sold before fire ruined it.",
      "In 1951 fire ruined the mill; three years later it was sold.",
      "roles: sold / fire",
    ],
    [
      "Ines calls the caterer first, and once that is done Otto books the hall.",
      "Otto books the hall; Ines calls the caterer after he has done so.",
      "roles: calls / Otto",
    ],
    ["The dose always has to be lowered.", "The dose may have to be lowered.", "modality: always / may"],
    ["A helmet is optional on the track.", "A helmet must be worn on the track.", "modality: optional / must"],
    ["A helmet must be worn on the track.", "A helmet may be worn on the track.", "modality: must / may"],
    ["You may change the code at login.", "At login you must change the code.", "modality: may / must"],
    ["The frost is certain to kill moths.", "The frost may kill moths.", "modality: certain / may"],
    ["Every nurse said she would go on.", "Most participants said they would go on.", "share: Every / Most"],
    ["Skating is more popular in town than rowing is.", "Rowing is more popular than skating.", "roles: more / more"],
    [
      "Deer accounted for 60% of the bones.",
      "Bones were mostly of goats (60%), followed by deer (25%); no fish bones were found.",
      "number: 60 / 25",
    ],
    ["Use soap for the filter.", "Clean the filter in warm water for ten minutes. Do not use soap.", undefined],
    ["The price covers three courses and drinks.", "The price covers three courses, excluding drinks.", undefined],
    ["Fill the tyre to 3 psi.", "Fill the tyre to 3 bar.", "unit: psi / bar"],
  ])("%s / %s", async (response, source, expected) => {
    const found = await contradictions(response, source);
    expect(found).toHaveLength(1);
    if (expected !== undefined) expect(found).toEqual([expected]);
  });
});

describe("a claim relates the words of its source alike", () => {
  test.each([
    ["The goat was chased by the shepherd.", "The shepherd chased the goat."],
    ["A helmet must be worn, and you may bring a bike.", "You may bring a bike. A helmet must be worn."],
    ["The shepherd chased the goat.", "The goat, chased by the shepherd, ran away."],
    ["The bridge was sold to Corvo.", "Tarn sold the bridge to Corvo."],
    ["Anna married Paul.", "Paul married Anna."],
    ["The form is signed by the notary.", "The form is signed by the notary and not by the clerk."],
    ["A second ticket costs €7.", "A first ticket costs €9 and a second ticket €7 a day."],
    ["Prices fell because the harvest was good.", "Prices fell because of a good harvest."],
    ["The tower is to be renovated.", "The tower will be renovated in 2031."],
    ["The club extended the stand.", "The club has extended the stand."],
    ["You may keep a parrot. The owner must consent.", "You may keep a parrot only with the owner's consent."],
    ["All pupils under 12 get a pass.", "Pupils under 12 get a pass."],
    ["A stay lasts one week.", "The first stay lasts one week."],
    ["Wait 2 hours before you swim.", "You may swim after 2 hours."],
    ["It is open until 18:00 on Fridays.", "It is open from 9 am to 6 pm on Fridays."],
    ["The fee is half a million euros.", "The fee is €500,000."],
    ["The park covers 30 hectares.", "The park covers 0.3 km²."],
    ["The film lasts 140 minutes.", "The film lasts 2 hours and 20 minutes."],
    ["It was founded in 04/1998.", "It was founded in April 1998."],
    ["You can hire a boat unless the lake is frozen.", "A boat may be hired unless the lake is frozen."],
    ["As two riders were ill, the race was cancelled.", "The race was cancelled since two riders were ill."],
    ["Varnish the frame after you sand it.", "Sand the frame, then varnish it."],
    ["The mill was sold after fire ruined it.", "In 1951 fire ruined the mill; three years later it was sold."],
    ["The dose doesn't always have to be lowered.", "The dose may have to be lowered."],
    ["Goats accounted for 60% of the bones.", "Bones were mostly of goats (60%), followed by deer (25%)."],
    ["Nobody is there before 9:00.", "Staff are there from 9:00 to 21:00."],
    [
      "Hedges over two metres are found only in the park.",
      "There are no hedges higher than two metres except in the park.",
    ],
    ["The frame has a warranty for five years.", "The frame carries a five-year warranty against rust."],
    ["The K7 costs €300.", "The camera K7 costs €300, and the K9 costs €500."],
  ])("%s / %s", async (response, source) => {
    expect(await contradictions(response, source)).toEqual([]);
  });
});

describe("a number", () => {
  test("with a different unit of time than in the sources isn't theirs", async () => {
    const source = "The lease runs for 18 months. Give notice 24 hours before a visit.";
    expect(await contradictions("The lease runs for 24 months.", source)).not.toEqual([]);
    expect(await contradictions("Notice of 24 hours is needed before a visit.", source)).toEqual([]);
  });

  test("that is by chance a difference of two numbers of the sources isn't theirs", async () => {
    const source = "The north wing makes up 60% of the area and the south wing 25%.";
    expect(await contradictions("The south wing makes up 35% of the area.", source)).not.toEqual([]);
    expect(await contradictions("The south wing is 35% smaller in area than the north wing.", source)).toEqual([]);
  });
});
