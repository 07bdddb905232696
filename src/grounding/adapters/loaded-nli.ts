import { type NliPair, type NliScore, labelledScores } from "./nli-adapter.ts";

/** What is used of `@huggingface/transformers`, as its version 4 has it. */
export interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean };
  readonly AutoTokenizer: { from_pretrained(path: string, options: object): Promise<Tokenizer> };
  readonly AutoModelForSequenceClassification: {
    from_pretrained(path: string, options: object): Promise<SequenceModel>;
  };
}

/** A tokenizer: texts and, in the same order, the second text of each pair. */
export interface Tokenizer {
  (texts: string | readonly string[], options: object): { readonly input_ids: unknown };
  readonly model_max_length?: number | null;
}

/** A model that gives one row of logits for each pair. */
export interface SequenceModel {
  (inputs: object): Promise<{ readonly logits: { tolist(): number[][] } }>;
  /** Class names by their number, as `config.json` has them. */
  readonly config: { readonly id2label?: Readonly<Record<string, string>> };
}

/** A model that is ready. */
export interface LoadedNli {
  readonly tokenizer: Tokenizer;
  readonly model: SequenceModel;
  /** In the order of the logits. */
  readonly labels: readonly string[];
}

/** Pairs of one forward pass: they are padded to the longest, and memory grows with it. */
const BATCH = 8;

/** Finds the package's parts in what its import gave; undefined where they are not there. */
export function transformersOf(module: unknown): Transformers | undefined {
  // A CommonJS build is the default of its import.
  return [module, property(module, "default")].find(isTransformers);
}

/** Scores pairs, in batches. Undefined where no class of the model is called entailment. */
export async function entailmentOf(
  { tokenizer, model, labels }: LoadedNli,
  pairs: readonly NliPair[],
): Promise<readonly NliScore[] | undefined> {
  const scores: (NliScore | undefined)[] = [];
  for (let from = 0; from < pairs.length; from += BATCH) {
    const batch = pairs.slice(from, from + BATCH).map((pair) => fitting(tokenizer, pair));
    const inputs = tokenizer(
      batch.map(({ premise }) => premise),
      { text_pair: batch.map(({ hypothesis }) => hypothesis), padding: true, truncation: true },
    );
    const { logits } = await model(inputs);
    scores.push(
      ...logits.tolist().map((row) => labelledScores(softmax(row).map((score, at) => ({ label: labels[at], score })))),
    );
  }
  const found = scores.filter((score) => score !== undefined);
  return found.length === scores.length ? found : undefined;
}

/**
 * Cuts a pair's premise where both together are too long: the tokenizer itself would cut the end, which is the claim.
 */
function fitting(tokenizer: Tokenizer, { premise, hypothesis }: NliPair): NliPair {
  const most = tokenizer.model_max_length ?? Infinity;
  let text = premise;
  for (
    let length = lengthOf(tokenizer, text, hypothesis);
    length > most && text !== "";
    length = lengthOf(tokenizer, text, hypothesis)
  ) {
    text = text.slice(0, Math.floor(text.length * Math.min(0.9, most / length)));
  }
  return { premise: text, hypothesis };
}

function lengthOf(tokenizer: Tokenizer, text: string, pair: string): number {
  const { input_ids: ids } = tokenizer(text, { text_pair: pair, return_tensor: false });
  return Array.isArray(ids) ? ids.length : 0;
}

function softmax(row: readonly number[]): number[] {
  const most = Math.max(...row);
  const powers = row.map((logit) => Math.exp(logit - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function isTransformers(module: unknown): module is Transformers {
  const classes = [property(module, "AutoTokenizer"), property(module, "AutoModelForSequenceClassification")];
  return (
    isObject(property(module, "env")) &&
    classes.every((each) => typeof property(each, "from_pretrained") === "function")
  );
}

function property(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" || typeof value === "function") && value !== null;
}
