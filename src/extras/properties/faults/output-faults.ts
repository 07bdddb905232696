import { recordIn, listIn } from "../../../kernel/json/read-data.ts";
import { isDeepStrictEqual } from "node:util";
import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { REFUSAL, type Rewrite, type ServiceShape, rewritten, serviceShape } from "./fault-shapes.ts";

/** Fault of a model's output. */
export interface OutputFault {
  /** Returns a changed text; undefined if the fault doesn't change texts. */
  readonly text: (text: string) => string | undefined;
  /** Makes other data of data. */
  readonly data?: (value: unknown) => unknown;
  /** End of the response, if it changes. */
  readonly ends?: "cut" | "refused" | "empty";
}

/** Names of the faults of outputs. */
export type OutputFaultName =
  | "truncated"
  | "malformed-cut"
  | "malformed-fenced"
  | "malformed-prose"
  | "malformed-types"
  | "malformed-extra"
  | "malformed-nulls"
  | "refused"
  | "empty";

const half = (text: string): string => text.slice(0, Math.ceil(text.length / 2));

/** Faulty outputs that a model may return. */
export const OUTPUT_FAULTS: Readonly<Record<OutputFaultName, OutputFault>> = {
  truncated: { text: half, ends: "cut" },
  "malformed-cut": { text: half },
  "malformed-fenced": { text: (text) => `\`\`\`json\n${text}\n\`\`\`` },
  "malformed-prose": {
    text: (text) => `Sure! Here is what you asked for:\n\n${text}\n\nLet me know if you need more.`,
  },
  "malformed-types": ofData(otherTypes),
  "malformed-extra": ofData(withExtra),
  "malformed-nulls": ofData(nulls),
  refused: { text: () => REFUSAL, ends: "refused" },
  empty: { text: () => "", ends: "empty" },
};

/** An answer, or the chunks of a stream. */
export interface ModelOutput {
  readonly values: readonly unknown[];
  readonly isStream: boolean;
}

/**
 * Returns the changed response, or its chunks, as the service would send them. The first text changes; others stay.
 * Undefined if that doesn't apply, or makes no difference.
 */
export function applyOutputFault(
  { values, isStream }: ModelOutput,
  saying: OutputFault,
): readonly unknown[] | undefined {
  const { ends, data } = saying;
  const shape = serviceShape(values);
  const end = ends === undefined ? same : shape?.[ends];
  if (shape === undefined || end === undefined) return undefined;
  const text = textOf(values, shape);
  const now = text.was === undefined ? undefined : saying.text(text.was);
  // A refusal instead of a tool call would have to be streamed as a text that wasn't there.
  if (now === undefined && ends === "refused" && isStream) return undefined;
  const changedText =
    text.was === undefined || now === undefined ? values : withText(values, shape, { ...text, was: text.was, now });
  const passes = [ofField(() => shape.data, data ?? ((value) => value)), end, shape.tidy ?? same];
  const changed = passes.reduce<readonly unknown[]>((all, pass) => listIn(rewritten(all, pass)), changedText);
  return isDeepStrictEqual(changed, values) ? undefined : changed;
}

const same: Rewrite = (fields) => fields;

/** A piece of a streamed text: in which chunk it is. */
interface Piece {
  readonly at: number;
  readonly text: string;
}

/** Returns the first text of a response, or of a stream with its pieces. */
export function textOf(
  values: readonly unknown[],
  shape: ServiceShape,
): { readonly was: string | undefined; readonly pieces: readonly Piece[] } {
  const all = values.flatMap((value, at) => {
    const [text] = fieldsOf(value, shape.piece);
    const piece = typeof value === "string" ? value : text;
    return piece === undefined || piece === "" ? [] : [{ at, text: piece, of: ownerOf(value) }];
  });
  const pieces = all.filter(({ of }) => of === all[0]?.of);
  if (pieces.length > 0) return { was: pieces.map(({ text }) => text).join(""), pieces };
  return { was: values.flatMap((value) => fieldsOf(value, shape.whole))[0], pieces };
}

/** Returns the key of one text of a stream, whichever the client. */
function ownerOf(chunk: unknown): string {
  const { choices, index, item_id: item, content_index: part, id } = recordIn(chunk);
  return JSON.stringify([recordIn(listIn(choices)[0])["index"], index, item, part, id]);
}

/** Returns the texts in fields of a value. */
function fieldsOf(value: unknown, nameOf: ServiceShape["piece"]): string[] {
  const texts: string[] = [];
  const keep = (text: unknown): unknown => {
    if (typeof text === "string" && text !== "") texts.push(text);
    return text;
  };
  rewritten(value, ofField(nameOf, keep));
  return texts;
}

function withText(
  values: readonly unknown[],
  shape: ServiceShape,
  { was, now, pieces }: { readonly was: string; readonly now: string; readonly pieces: readonly Piece[] },
): readonly unknown[] {
  const slices = slicesOf(now, pieces);
  const whole = ofField(shape.whole, (text) => (text === was ? now : text));
  return values.map((value, at) => {
    const slice = slices.get(at);
    if (typeof value === "string") return slice ?? value;
    return rewritten(value, slice === undefined ? whole : ofField(shape.piece, () => slice));
  });
}

/** A text in pieces as long as the former ones were, by their chunks; the last takes what is left. */
function slicesOf(text: string, pieces: readonly Piece[]): ReadonlyMap<number, string> {
  let from = 0;
  return new Map(
    pieces.map(({ at, text: { length } }, index) => {
      const slice = text.slice(from, index === pieces.length - 1 ? undefined : from + length);
      from += length;
      return [at, slice];
    }),
  );
}

/** Changes the field with that name, if there is one. */
function ofField(nameOf: ServiceShape["piece"] = () => undefined, change: (value: unknown) => unknown): Rewrite {
  return (fields, key) => {
    const name = nameOf(fields, key);
    return name === undefined || fields[name] === undefined ? fields : { ...fields, [name]: change(fields[name]) };
  };
}

function ofData(change: (value: unknown) => unknown): OutputFault {
  const text = (was: string): string | undefined => {
    try {
      return JSON.stringify(change(JSON.parse(was)));
    } catch {
      // Its text isn't JSON: no value in it has a type.
      return undefined;
    }
  };
  return { text, data: change };
}

function otherTypes(value: unknown): unknown {
  return eachLeaf(value, (leaf) => (typeof leaf === "string" ? [leaf] : String(leaf)));
}

function nulls(value: unknown): unknown {
  return eachLeaf(value, () => null);
}

function eachLeaf(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (isArray(value)) return value.map((item) => eachLeaf(item, change));
  if (!isPlainObject(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, eachLeaf(member, change)]));
}

function withExtra(value: unknown): unknown {
  return isPlainObject(value) ? { ...value, reasoning: "It was asked for." } : [{ reasoning: "It was asked for." }];
}
