import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import { messageOf } from "../../base/thrown.ts";
import { findPackage } from "../find-package.ts";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import { type LoadedNli, type Transformers, entailmentOf, transformersOf } from "./loaded-nli.ts";
import type { NliAdapter } from "./nli-adapter.ts";

/** Options of {@link localNli}. */
export interface LocalNliOptions {
  /** The model's folder: `config.json`, `tokenizer.json`, `tokenizer_config.json` and `onnx/model.onnx`. */
  readonly folder: string;
  /** Which weights are read: `q8` reads `onnx/model_quantized.onnx`. Default: the package's own, `fp32`. */
  readonly dtype?: string;
  /**
   * How the package is loaded, where it has another name or place; undefined says that it is not there. Default:
   * `@huggingface/transformers`, as installed.
   */
  readonly load?: () => Promise<unknown>;
}

/** The package this adapter is for. */
const PACKAGE = "@huggingface/transformers";

/**
 * An NLI adapter that runs a model of a local folder through the optional package `@huggingface/transformers` (4;
 * loaded with the first claim). Nothing is ever downloaded: remote models are switched off in the package, and stay
 * so for the process. The labels in the model's `config.json` must name `entailment`.
 *
 * The answer is a `Result`. Errors: `missing_package` (kind `validation`) without the package; of kind `provider`
 * `broken_package` for one that cannot be loaded, and `model_unavailable` for a folder or labels that do not fit.
 *
 * Its use of the package was tried with a hand-made model of three classes; scores of a trained model have not been
 * measured here.
 *
 * @example verifyGrounding(answer, chunks, { verifier: blend(lexicalVerifier, nliVerifier(localNli({ folder:
 * "models/nli" }))) });
 */
export function localNli({ folder, dtype, load = loadPackage }: LocalNliOptions): NliAdapter {
  // An absolute path is no model id, so the package neither looks in its cache for it nor on its hub.
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

interface ModelPlace {
  readonly path: string;
  readonly dtype: string | undefined;
  readonly load: () => Promise<unknown>;
}

async function open({ path, dtype, load }: ModelPlace): Promise<Result<LoadedNli, GroundingError>> {
  const loaded = await attempt(load, (cause) => brokenPackage(messageOf(cause), cause));
  if (!loaded.ok) return loaded;
  if (loaded.value === undefined) return err(missingPackage());
  if (!existsSync(join(path, "config.json"))) return err(unavailable(path, "there is no config.json"));
  const transformers = transformersOf(loaded.value);
  if (transformers === undefined)
    return err(
      brokenPackage("it has no AutoTokenizer and AutoModelForSequenceClassification; version 4 is known here"),
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
  worded: (cause: unknown) => GroundingError,
): Promise<Result<T, GroundingError>> {
  try {
    return ok(await work());
  } catch (cause) {
    return err(worded(cause));
  }
}

/** Undefined where the package is not installed. */
async function loadPackage(): Promise<unknown> {
  const url = findPackage(PACKAGE);
  return url === undefined ? undefined : import(url);
}

function missingPackage(): GroundingError {
  const message = `A local NLI model needs the package ${PACKAGE}, which is not installed. Run npm install --save-dev ${PACKAGE}, or ask a service: teiNli, zeroShotNli.`;
  return groundingError({ kind: "validation", code: "missing_package", message, operation: "verify" });
}

function brokenPackage(why: string, cause?: unknown): GroundingError {
  const message = `The package ${PACKAGE} cannot be used: ${why}. Install it anew.`;
  return groundingError({
    kind: "provider",
    code: "broken_package",
    message,
    operation: "verify",
    ...(cause === undefined ? {} : { cause }),
  });
}

function unavailable(path: string, why: string, cause?: unknown): GroundingError {
  const message = `The NLI model in ${path} cannot be used: ${why.replace(/\.+$/, "")}. The folder needs config.json with the label entailment, tokenizer.json, tokenizer_config.json and onnx/model.onnx; nothing is downloaded.`;
  return groundingError({
    kind: "provider",
    code: "model_unavailable",
    message,
    operation: "verify",
    input: path,
    ...(cause === undefined ? {} : { cause }),
  });
}
