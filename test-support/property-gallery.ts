import * as fc from "fast-check";
import { z } from "zod";
import type { KeyBy } from "../src/kernel/diff/compare-rules.ts";
import type { SatisfyPropertiesOptions } from "../src/extras/properties/property-subject.ts";
import { type Command, emit, fanout, invoke, review, suspend } from "../src/kernel/step/command.ts";
import type { StepContext } from "../src/kernel/step/context.ts";
import { type AnyStep, type StepReturn, defineStep } from "../src/kernel/step/define-step.ts";
import { defineWorkflow } from "../src/kernel/step/define-workflow.ts";
import { type StepFailure, fail } from "../src/kernel/step/fail.ts";

/** A real kind of bug: a step that has it, the same step without, and the law that names it. */
export interface Specimen {
  readonly title: string;
  readonly property: string;
  /** Characters of the least input that shows it, as JSON, at most. */
  readonly size: number;
  readonly options: SatisfyPropertiesOptions;
  /** Made anew for each use: some bugs are state that is left behind. */
  readonly faulty: () => AnyStep;
  readonly right: () => AnyStep;
}

type Ending = StepReturn | StepFailure;
type Run<In> = (input: In, ctx: StepContext<Models>) => Ending | Promise<Ending>;

interface Models {
  readonly llm: { complete(prompt: string): Promise<string> };
  readonly shop: {
    read(id: string): Promise<{ readonly status: number; readonly body: { readonly price: number } | null }>;
  };
}

interface Kind<In> {
  readonly title: string;
  readonly law: string;
  readonly size: number;
  readonly options?: SatisfyPropertiesOptions;
  readonly input: z.ZodType<In>;
  readonly output?: z.ZodObject;
  readonly keyBy?: KeyBy;
  /** Makes `run` with the bug, and without. */
  readonly run: (isFaulty: boolean) => Run<In>;
  /** The output schema without the bug, where that is what is wrong. */
  readonly rightOutput?: z.ZodObject;
  readonly rightKeyBy?: KeyBy;
}

function specimen<In>(kind: Kind<In>): Specimen {
  const { title, law: property, size, options = {}, input, output = z.looseObject({}), keyBy = {}, run } = kind;
  const step = (isFaulty: boolean): AnyStep => {
    const schema = isFaulty ? output : (kind.rightOutput ?? output);
    const keys = isFaulty ? keyBy : (kind.rightKeyBy ?? keyBy);
    return defineStep({ name: "specimen", input, output: schema, keyBy: keys, run: run(isFaulty) });
  };
  return {
    title,
    property,
    size,
    options: { timeoutMs: 40, ...options },
    faulty: () => step(true),
    right: () => step(false),
  };
}

const Cents = z.number().int().min(0).max(100_000);
const Line = z.object({ sku: z.string().max(8), cents: Cents });
const Lines = z.object({ lines: z.array(Line) });
const Texts = z.object({ texts: z.array(z.string().max(20)) });
const Text = z.object({ text: z.string().max(40) });
const Total = z.object({ total: z.number() });
const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

const target = defineStep({
  name: "book",
  input: z.object({ cents: Cents.min(1) }),
  output: z.object({}),
  run: () => ({ output: {} }),
});
const orders = defineWorkflow({ name: "orders", version: "1", steps: { book: target } });
const withCommands = (commands: readonly Command[]): Ending => ({ output: {}, commands });

/** Bugs that end a step, or keep it from ending. */
const ANSWERS: readonly Specimen[] = [
  specimen({
    title: "takes the greatest of an empty list by reduce",
    law: "answers",
    size: 12,
    input: Lines,
    output: Total,
    run:
      (isFaulty) =>
      ({ lines }) => {
        const cents = lines.map((line) => line.cents);
        const greatest = isFaulty ? cents.reduce((a, b) => Math.max(a, b)) : Math.max(0, ...cents);
        return { output: { total: greatest } };
      },
  }),
  specimen({
    title: "reads a field of the first element, and there is none",
    law: "answers",
    size: 12,
    input: Lines,
    run:
      (isFaulty) =>
      ({ lines: [first] }) => {
        if (!isFaulty && first === undefined) return fail("no_lines", "The order has no lines.");
        // As a step without types would: of nothing it takes a field.
        const { sku } = z.custom<z.infer<typeof Line>>().parse(first);
        return { output: { letters: sku.length } };
      },
  }),
  specimen({
    title: "parses what the model says, whatever it says",
    law: "answers",
    size: 60,
    input: Text,
    options: { responses: { "llm.complete": fc.oneof(fc.json(), fc.constant('Sure! Here it is: {"a":1}')) } },
    run:
      (isFaulty) =>
      async ({ text }, { adapters }) => {
        const said = await adapters.llm.complete(text);
        try {
          return { output: { parsed: JSON.stringify(JSON.parse(said)) } };
        } catch (thrown) {
          if (isFaulty) throw thrown;
          return fail("no_json", "The model answered no JSON.");
        }
      },
  }),
  specimen({
    title: "waits for a batch that an empty list never fills",
    law: "answers",
    size: 12,
    input: Lines,
    output: Total,
    run:
      (isFaulty) =>
      async ({ lines }) => {
        const total = await new Promise<number>((resolve) => {
          if (!isFaulty && lines.length === 0) resolve(0);
          lines.forEach((_, index) => index === lines.length - 1 && resolve(index + 1));
        });
        return { output: { total } };
      },
  }),
  specimen({
    title: "makes a crash of a 429",
    law: "answers",
    size: 60,
    input: Text,
    output: Total,
    options: {
      responses: {
        "shop.read": z.union([
          z.object({ status: z.literal(200), body: z.object({ price: Cents }) }),
          z.object({ status: z.literal(429), body: z.null() }),
        ]),
      },
    },
    run:
      (isFaulty) =>
      async ({ text }, { adapters }) => {
        const { status, body } = await adapters.shop.read(text);
        if (!isFaulty && status === 429) return fail("rate_limit", "Too many requests.", { retryable: true });
        return {
          output: { total: z.custom<{ readonly price: number }>().parse(body).price },
        };
      },
  }),
  specimen({
    title: "asks the model again until it says what is wanted",
    law: "answers",
    size: 60,
    input: Text,
    options: { responses: { "llm.complete": z.enum(["yes", "no", "perhaps"]) } },
    run:
      (isFaulty) =>
      async ({ text }, { adapters }) => {
        const most = isFaulty ? Infinity : 3;
        for (let tries = 0; tries < most; tries += 1)
          if ((await adapters.llm.complete(text)) !== "perhaps") return { output: { tries } };
        return fail("undecided", "The model does not decide.");
      },
  }),
  specimen({
    title: "fails without saying how",
    law: "answers",
    size: 16,
    input: Texts,
    run:
      (isFaulty) =>
      ({ texts }) =>
        texts.length === 0 ? fail(isFaulty ? "" : "no_texts", "Nothing to read.") : { output: { read: texts.length } },
  }),
];

/** Bugs in what comes out. */
const FITS: readonly Specimen[] = [
  specimen({
    title: "divides by the number of nothing",
    law: "fits",
    size: 12,
    input: Lines,
    output: z.object({ mean: z.number() }),
    run:
      (isFaulty) =>
      ({ lines }) => {
        const total = sum(lines.map(({ cents }) => cents));
        return { output: { mean: isFaulty || lines.length > 0 ? total / lines.length : 0 } };
      },
  }),
  specimen({
    title: "writes great numbers as text",
    law: "fits",
    // Several lines may make the sum: of no single one could anything be taken away.
    size: 130,
    input: Lines,
    output: Total,
    run:
      (isFaulty) =>
      ({ lines }) => {
        const total = sum(lines.map(({ cents }) => cents));
        return { output: { total: isFaulty && total > 999 ? total.toLocaleString("en") : total } };
      },
  }),
  specimen({
    title: "asks two people at once",
    law: "fits",
    size: 70,
    input: Lines,
    run:
      (isFaulty) =>
      ({ lines }) => {
        const dear = lines.filter(({ cents }) => cents > 100);
        return withCommands((isFaulty ? dear : dear.slice(0, 1)).map(({ sku }) => review(`Is ${sku} meant?`)));
      },
  }),
  specimen({
    title: "calls a step that is not there",
    law: "fits",
    size: 40,
    options: { workflow: orders },
    input: Lines,
    run:
      (isFaulty) =>
      ({ lines }) =>
        withCommands(lines.slice(0, 1).map(() => invoke(isFaulty ? "bok" : "book", { cents: 1 }))),
  }),
  specimen({
    title: "hands on what the next step refuses",
    law: "fits",
    size: 40,
    options: { workflow: orders },
    input: Lines,
    run:
      (isFaulty) =>
      ({ lines }) =>
        withCommands([
          fanout(
            "book",
            lines.filter(({ cents }) => isFaulty || cents > 0).map(({ cents }) => ({ cents })),
          ),
        ]),
  }),
  specimen({
    title: "waits for a step that is not there",
    law: "fits",
    size: 12,
    options: { workflow: orders },
    input: Lines,
    run:
      (isFaulty) =>
      ({ lines }) =>
        withCommands(
          lines.length > 0
            ? []
            : [suspend({ reason: "empty", checkpoint: {}, resumeStep: isFaulty ? "fill" : "book" })],
        ),
  }),
  specimen({
    title: "answers what no file can hold",
    law: "fits",
    size: 20,
    input: Texts,
    run:
      (isFaulty) =>
      ({ texts }) => ({ output: { seen: isFaulty && texts.length > 0 ? Symbol("10") : 10 } }),
  }),
];

/** Bugs that another run shows. */
const REPEATS: readonly Specimen[] = [
  specimen({
    title: "sorts the list it was given",
    law: "repeats",
    size: 60,
    input: Lines,
    output: Total,
    run:
      (isFaulty) =>
      ({ lines }) => {
        const sorted = (isFaulty ? lines : [...lines]).sort((a, b) => a.cents - b.cents);
        return { output: { total: sorted.at(-1)?.cents ?? 0 } };
      },
  }),
  specimen({
    title: "counts on from the run before",
    law: "repeats",
    size: 30,
    input: Texts,
    run: (isFaulty) => {
      let count = 0;
      return ({ texts }) => {
        count = isFaulty ? count + texts.length : texts.length;
        return { output: { count } };
      };
    },
  }),
  specimen({
    title: "knows texts of earlier runs as doubles",
    law: "repeats",
    size: 30,
    input: Texts,
    run: (isFaulty) => {
      const ever = new Set<string>();
      return ({ texts }) => {
        const seen = isFaulty ? ever : new Set<string>();
        const fresh = texts.filter((text) => !seen.has(text) && seen.add(text));
        return { output: { fresh } };
      };
    },
  }),
  specimen({
    title: "keeps the place of a global pattern",
    law: "repeats",
    size: 30,
    input: Text,
    run: (isFaulty) => {
      const word = isFaulty ? /\w/g : /\w/;
      return ({ text }) => ({ output: { hasWord: word.test(text) } });
    },
  }),
  specimen({
    title: "makes ids by chance",
    law: "pure",
    size: 40,
    input: Lines,
    run:
      (isFaulty) =>
      ({ lines }) => ({
        output: { ids: lines.map(({ sku }) => (isFaulty ? Math.random().toString(36) : sku)) },
      }),
  }),
  specimen({
    title: "stamps its output with the time",
    law: "pure",
    size: 12,
    input: Lines,
    run: (isFaulty) => () => ({ output: { at: isFaulty ? Date.now() : 0 } }),
  }),
  specimen({
    title: "takes this year where none is given",
    law: "pure",
    size: 20,
    input: z.object({ year: z.number().int().min(1900).max(2100).optional() }),
    run:
      (isFaulty) =>
      ({ year }) => {
        if (!isFaulty && year === undefined) return fail("no_year", "Say which year.");
        return { output: { year: year ?? new Date().getFullYear() } };
      },
  }),
  specimen({
    title: "draws the key of what it sends",
    law: "pure",
    size: 40,
    input: Lines,
    run:
      (isFaulty) =>
      ({ lines }) =>
        withCommands(lines.slice(0, 1).map(({ sku }) => emit("sold", { key: isFaulty ? crypto.randomUUID() : sku }))),
  }),
];

/** Bugs of identity and order. */
const ORDER: readonly Specimen[] = [
  specimen({
    title: "tells lines apart by what may come twice",
    law: "keyed",
    size: 70,
    input: Lines,
    output: Lines,
    keyBy: { lines: "sku" },
    run:
      (isFaulty) =>
      ({ lines }) => ({
        output: { lines: isFaulty ? lines : [...new Map(lines.map((line) => [line.sku, line])).values()] },
      }),
  }),
  specimen({
    title: "tells texts apart by how they look in small letters",
    law: "keyed",
    size: 40,
    input: Texts,
    output: Texts,
    keyBy: { texts: (text) => String(text).slice(0, 1) },
    rightKeyBy: {},
    run:
      () =>
      ({ texts }) => ({ output: { texts } }),
  }),
  specimen({
    title: "has elements without a key",
    law: "keyed",
    size: 60,
    input: z.object({ people: z.array(z.object({ id: z.string().max(5).optional() })) }),
    output: z.object({ people: z.array(z.object({ id: z.string().optional() })) }),
    keyBy: { people: "id" },
    run:
      (isFaulty) =>
      ({ people }) => {
        const named = people.filter(({ id }) => id !== undefined);
        return { output: { people: isFaulty ? people : [...new Map(named.map((one) => [one.id, one])).values()] } };
      },
  }),
  specimen({
    title: "taxes the first line alone",
    law: "order-free",
    size: 70,
    options: { orderFree: ["lines"] },
    input: Lines,
    output: Total,
    run:
      (isFaulty) =>
      ({ lines }) => ({
        output: { total: sum(lines.map(({ cents }, index) => (isFaulty && index === 0 ? cents * 2 : cents))) },
      }),
  }),
  specimen({
    title: "lets the last price of an article win",
    law: "order-free",
    size: 80,
    options: { orderFree: ["lines"] },
    input: z.object({ lines: z.array(z.object({ sku: z.enum(["a", "b"]), cents: Cents })) }),
    run:
      (isFaulty) =>
      ({ lines }) => {
        const prices: Record<string, number> = {};
        for (const { sku, cents } of lines) prices[sku] = isFaulty ? cents : Math.max(cents, prices[sku] ?? 0);
        return { output: prices };
      },
  }),
  specimen({
    title: "fills a box in the order it is given",
    law: "order-free",
    size: 90,
    options: { orderFree: ["lines"] },
    input: Lines,
    output: Total,
    run:
      (isFaulty) =>
      ({ lines }) => {
        const ordered = isFaulty ? lines : lines.toSorted((a, b) => a.cents - b.cents);
        const total = ordered.reduce((box, { cents }) => (box + cents <= 100 ? box + cents : box), 0);
        return { output: { total } };
      },
  }),
  specimen({
    title: "makes of its output what its schema would not take again",
    law: "merges",
    size: 20,
    input: Text,
    output: z.object({ cents: z.string().transform(Number) }),
    rightOutput: z.object({ cents: z.coerce.number() }),
    run:
      () =>
      ({ text }) => ({ output: { cents: String(text.length) } }),
  }),
];

const own = (name: string, holds: (input: never, output: never) => boolean): SatisfyPropertiesOptions => ({
  properties: { [name]: holds },
});

/** Bugs that only who knows what is meant can name. */
const OWN: readonly Specimen[] = [
  specimen({
    title: "loses what is left of the last page",
    law: "every line is on a page",
    size: 40,
    input: Texts,
    options: own(
      "every line is on a page",
      (input: { texts: string[] }, output: { pages: string[][] }) => output.pages.flat().length === input.texts.length,
    ),
    run:
      (isFaulty) =>
      ({ texts }) => {
        const count = texts.length / 2;
        const pages = Array.from({ length: isFaulty ? Math.floor(count) : Math.ceil(count) }, (_, page) =>
          texts.slice(page * 2, page * 2 + 2),
        );
        return { output: { pages } };
      },
  }),
  specimen({
    title: "cuts a text in the middle of a character",
    law: "what it shows is text",
    size: 60,
    input: Text,
    options: {
      ...own("what it shows is text", (_: object, output: { shown: string }) => output.shown.isWellFormed()),
      given: { text: fc.string({ unit: "grapheme", maxLength: 12 }) },
    },
    run:
      (isFaulty) =>
      ({ text }) => ({
        output: { shown: isFaulty ? text.slice(0, 1) : text.slice(0, (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1) },
      }),
  }),
  specimen({
    title: "sorts numbers as words",
    law: "the least comes first",
    size: 70,
    input: Lines,
    options: own(
      "the least comes first",
      (input: { lines: { cents: number }[] }, output: { sorted: number[] }) =>
        input.lines.length === 0 || output.sorted[0] === Math.min(...input.lines.map(({ cents }) => cents)),
    ),
    run:
      (isFaulty) =>
      ({ lines }) => {
        const cents = lines.map((line) => line.cents);
        return { output: { sorted: cents.sort((a, b) => (isFaulty ? Number(`${a}` > `${b}`) - 0.5 : a - b)) } };
      },
  }),
  specimen({
    title: "rounds each line, and not their sum",
    law: "parts make the whole",
    size: 80,
    input: Lines,
    options: own(
      "parts make the whole",
      (input: { lines: { cents: number }[] }, output: { tax: number }) =>
        output.tax === Math.round(sum(input.lines.map(({ cents }) => cents)) * 0.19),
    ),
    run:
      (isFaulty) =>
      ({ lines }) => {
        const cents = lines.map((line) => line.cents);
        const tax = isFaulty ? sum(cents.map((one) => Math.round(one * 0.19))) : Math.round(sum(cents) * 0.19);
        return { output: { tax } };
      },
  }),
];

/** Every specimen, each with its bug and without. */
export const PROPERTY_GALLERY: readonly Specimen[] = [...ANSWERS, ...FITS, ...REPEATS, ...ORDER, ...OWN];
