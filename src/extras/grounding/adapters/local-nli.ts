import { memberOf, isObject } from "../../../kernel/json/plain-data.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { findPackage } from "../find-package.ts";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import { type NliAdapter, type NliPair, type NliScore, labelledScores } from "./nli-adapter.ts";

/** Options for {@link localNli}. */
export interface LocalNliOptions {
  /** Directory of the model: `config.json`, `tokenizer.json`, `tokenizer_config.json` and `onnx/model.onnx`. */
  readonly folder: string;
  /** Type of the weights: `q8` reads `onnx/model_quantized.onnx`. Default: that of the package, `fp32`. */
  readonly dtype?: string;
  /**
   * Loads the package, if it has another name or location. Returns undefined if it isn't installed. Default: the
   * installed `@huggingface/transformers`.
   */
  readonly load?: () => Promise<unknown>;
}

/** Package that this adapter uses. */
const PACKAGE = "@huggingface/transformers";

/**
 * Creates an NLI adapter that runs a model of a local directory with the optional package `@huggingface/transformers`
 * (version 4; loaded with the first claim). It never downloads: it disables remote models in the package, for the rest
 * of the process. The labels in the model's `config.json` must include `entailment`.
 *
 * It returns a `Result`. Errors: `missing_package` (kind `validation`) without the package; `broken_package` (kind
 * `provider`) if it can't be loaded; `model_unavailable` (kind `provider`) for an unusable directory or labels.
 *
 * It was tested with a hand-made model of three classes. Scores of a trained model haven't been measured.
 *
 * @example verifyGrounding(answer, chunks, { verifier: blend(lexicalVerifier, nliVerifier(localNli({ folder:
 * "models/nli" }))) });
 */
export function localNli({ folder, dtype, load = loadPackage }: LocalNliOptions): NliAdapter {
  // An absolute path isn't a model id, so the package searches neither its cache nor its hub.
  const path = resolve(folder);
  let model: LoadedNli | undefined;
  return {
    async entail(pairs) {
      if (model === undefined) {
        const opened = await open({ path, dtype, load });
        if (!opened.ok) return opened;
        model = opened.value;
      }
      const scores = await entailmentOf(model, pairs);
      return scores === undefined
        ? err(unavailable(path, `its labels are ${model.labels.join(", ")}, and none is "entailment"`))
        : ok(scores);
    },
  };
}

interface ModelLocation {
  readonly path: string;
  readonly dtype: string | undefined;
  readonly load: () => Promise<unknown>;
}

async function open({ path, dtype, load }: ModelLocation): Promise<Result<LoadedNli, GroundingError>> {
  const loaded = await attempt(load, (cause) =>
    brokenPackage(messageOf(cause), `Reinstall it: npm install --save-dev ${PACKAGE}`, cause),
  );
  if (!loaded.ok) return loaded;
  if (loaded.value === undefined) return err(missingPackage());
  if (!existsSync(join(path, "config.json"))) return err(unavailable(path, "there is no config.json"));
  const transformers = transformersOf(loaded.value);
  if (transformers === undefined)
    return err(
      brokenPackage(
        "it doesn't export AutoTokenizer and AutoModelForSequenceClassification",
        `Install version 4: npm install --save-dev ${PACKAGE}@4`,
      ),
    );
  return attempt(
    () => modelAt(transformers, path, dtype),
    (cause) => unavailable(path, messageOf(cause), cause),
  );
}

async function modelAt(transformers: Transformers, path: string, dtype: string | undefined): Promise<LoadedNli> {
  transformers.env.allowRemoteModels = false;
  transformers.env.allowLocalModels = true;
  const options = { local_files_only: true };
  const tokenizer = await transformers.AutoTokenizer.from_pretrained(path, options);
  const model = await transformers.AutoModelForSequenceClassification.from_pretrained(path, {
    ...options,
    ...(dtype === undefined ? {} : { dtype }),
  });
  return { tokenizer, model, labels: Object.values(model.config.id2label ?? {}) };
}

async function attempt<T>(
  work: () => Promise<T>,
  toError: (cause: unknown) => GroundingError,
): Promise<Result<T, GroundingError>> {
  try {
    return ok(await work());
  } catch (cause) {
    return err(toError(cause));
  }
}

/** Returns undefined if the package isn't installed. */
async function loadPackage(): Promise<unknown> {
  const url = findPackage(PACKAGE);
  return url === undefined ? undefined : import(url);
}

function missingPackage(): GroundingError {
  const message =
    `A local NLI model needs the package ${PACKAGE}, which isn't installed. Run npm install --save-dev ` +
    `${PACKAGE}, or use a service: teiNli, zeroShotNli.`;
  return groundingError({ kind: "validation", code: "missing_package", message, operation: "verify" });
}

function brokenPackage(why: string, fix: string, cause?: unknown): GroundingError {
  const message = `The package ${PACKAGE} can't be used: ${why.replace(/\.+$/, "")}. ${fix}`;
  return groundingError({
    kind: "provider",
    code: "broken_package",
    message,
    operation: "verify",
    ...(cause === undefined ? {} : { cause }),
  });
}

function unavailable(path: string, why: string, cause?: unknown): GroundingError {
  const message =
    `The NLI model in ${path} can't be used: ${why.replace(/\.+$/, "")}. ` +
    "The folder needs config.json with the label entailment, tokenizer.json, " +
    "tokenizer_config.json and onnx/model.onnx; no file is downloaded.";
  return groundingError({
    kind: "provider",
    code: "model_unavailable",
    message,
    operation: "verify",
    input: path,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Used part of `@huggingface/transformers`, version 4. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean };
  readonly AutoTokenizer: { from_pretrained(path: string, options: object): Promise<Tokenizer> };
  readonly AutoModelForSequenceClassification: {
    from_pretrained(path: string, options: object): Promise<SequenceModel>;
  };
}

/** Tokenizer of texts and, in the same order, the second text of each pair. */
interface Tokenizer {
  (texts: string | readonly string[], options: object): { readonly input_ids: unknown };
  readonly model_max_length?: number | null;
}

/** Model that returns one row of logits for each pair. */
interface SequenceModel {
  (inputs: object): Promise<{ readonly logits: { tolist(): number[][] } }>;
  /** Class names by their number, as in `config.json`. */
  readonly config: { readonly id2label?: Readonly<Record<string, string>> };
}

/** Loaded model. */
interface LoadedNli {
  readonly tokenizer: Tokenizer;
  readonly model: SequenceModel;
  /** In the order of the logits. */
  readonly labels: readonly string[];
}

/** Number of pairs in one forward pass. They're padded to the longest, and memory grows with it. */
const BATCH = 8;

/** Finds the package's parts in its import, or returns undefined. */
function transformersOf(module: unknown): Transformers | undefined {
  // A CommonJS build is the default export of its import.
  return [module, memberOf(module, "default")].find(isTransformers);
}

/** Scores pairs in batches. Returns undefined if the model has no class named entailment. */
async function entailmentOf(
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
  const matches = scores.filter((score) => score !== undefined);
  return matches.length === scores.length ? matches : undefined;
}

/**
 * Cuts a pair's premise if both texts together are too long. The tokenizer itself would cut the end, which is the
 * claim.
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
  const classes = [memberOf(module, "AutoTokenizer"), memberOf(module, "AutoModelForSequenceClassification")];
  return (
    isObject(memberOf(module, "env")) &&
    classes.every((each) => typeof memberOf(each, "from_pretrained") === "function")
  );
}
