import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { err } from "../../../kernel/result.ts";
import { blend } from "../verify/blend.ts";
import { lexicalVerifier } from "../verify/verifier.ts";
import { nliVerifier } from "../verify/nli-verifier.ts";
import { verifyGrounding } from "../verify/verify-grounding.ts";
import { localNli } from "./local-nli.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "veritest-nli-")));
mkdirSync(join(folder, "onnx"));
writeFileSync(join(folder, "config.json"), "{}");
afterAll(() => rmSync(folder, { recursive: true }));

const LABELS = { 0: "contradiction", 1: "ENTAILMENT", 2: "neutral" };
const PAIR = { premise: "Acme bought Globex.", hypothesis: "Globex bought Acme." };

/** What a fake package was asked. */
interface Asked {
  readonly opened: [string, string, object][];
  readonly batches: { readonly texts: readonly string[]; readonly text_pair: readonly string[] }[];
}

/**
 * A package of the shape of `@huggingface/transformers` 4; a token is a word, and a pair of equal texts is entailed.
 */
function fakePackage({ labels = LABELS, longest = 12 }: { readonly labels?: object; readonly longest?: number } = {}): {
  readonly module: Record<string, unknown>;
  readonly asked: Asked;
} {
  const asked: Asked = { opened: [], batches: [] };
  const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
  const tokenizer = (
    texts: string | readonly string[],
    { text_pair }: { text_pair: string | readonly string[] },
  ): object => {
    if (typeof texts === "string") return { input_ids: [...words(texts), ...words(String(text_pair))] };
    const batch = { texts, text_pair: typeof text_pair === "string" ? [text_pair] : text_pair };
    asked.batches.push(batch);
    return batch;
  };
  const model = async ({ texts, text_pair }: Asked["batches"][number]): Promise<object> => ({
    logits: { tolist: () => texts.map((text, at) => (text === text_pair[at] ? [0, 2, 0] : [2, 0, 0])) },
  });
  const opens =
    (name: string, made: object) =>
    async (path: string, options: object): Promise<object> => {
      asked.opened.push([name, path, options]);
      return made;
    };
  const module = {
    env: { allowRemoteModels: true, allowLocalModels: false },
    AutoTokenizer: { from_pretrained: opens("tokenizer", Object.assign(tokenizer, { model_max_length: longest })) },
    AutoModelForSequenceClassification: {
      from_pretrained: opens("model", Object.assign(model, { config: { id2label: labels } })),
    },
  };
  return { module, asked };
}

describe("localNli", () => {
  test("calls the model of a folder with pairs, and never lets the package download", async () => {
    const { module, asked } = fakePackage();
    const nli = localNli({ folder, dtype: "q8", load: async () => module });
    expect(await nli.entail([PAIR, { premise: "It rained.", hypothesis: "It rained." }])).toEqual({
      ok: true,
      value: [
        { entailment: expect.closeTo(0.1065, 4), contradiction: expect.closeTo(0.787, 4) },
        { entailment: expect.closeTo(0.787, 4), contradiction: expect.closeTo(0.1065, 4) },
      ],
    });
    expect(module["env"]).toEqual({ allowRemoteModels: false, allowLocalModels: true });
    expect(asked.opened).toEqual([
      ["tokenizer", folder, { local_files_only: true }],
      ["model", folder, { local_files_only: true, dtype: "q8" }],
    ]);
  });

  test("loads the model once, at the first claim", async () => {
    const { module, asked } = fakePackage();
    let loads = 0;
    const nli = localNli({ folder, load: async () => ((loads += 1), { default: module }) });
    expect(loads).toBe(0);
    await nli.entail([PAIR]);
    await nli.entail([PAIR]);
    expect([loads, asked.opened.length, asked.batches.length]).toEqual([1, 2, 2]);
  });

  test("cuts a premise that is too long, never the claim, and sends batches of 8", async () => {
    const { module, asked } = fakePackage({ longest: 6 });
    const long = { premise: "many words that stand before the end of it", hypothesis: "two words" };
    await localNli({ folder, load: async () => module }).entail([long, ...Array.from({ length: 9 }, () => PAIR)]);
    expect(asked.batches.map(({ texts }) => texts.length)).toEqual([8, 2]);
    expect([asked.batches[0]?.texts[0], asked.batches[0]?.text_pair[0]]).toEqual([
      "many words that stand ",
      "two words",
    ]);
    expect(asked.batches[0]?.texts[1]).toBe(PAIR.premise);
  });

  test("works as the NLI adapter of a verifier, and detects swapped roles in a blend", async () => {
    const { module } = fakePackage();
    const verifier = blend(lexicalVerifier, nliVerifier(localNli({ folder, load: async () => module })));
    expect(await verifyGrounding(PAIR.hypothesis, PAIR.premise, { verifier })).toMatchObject({
      ok: true,
      value: { label: "ungrounded", claims: [{ note: "contradicted by its sources" }] },
    });
  });

  test("without the package names the one to install, through the verifier too", async () => {
    const error = {
      kind: "validation",
      code: "missing_package",
      message:
        "A local NLI model needs the package @huggingface/transformers, which isn't installed. Run npm install --save-dev @huggingface/transformers, or use a service: teiNli, zeroShotNli.",
      operation: "verify",
      retryable: false,
    };
    const nli = localNli({ folder, load: async () => undefined });
    expect(await nli.entail([PAIR])).toEqual(err(error));
    expect(await verifyGrounding(PAIR.hypothesis, PAIR.premise, { verifier: nliVerifier(nli) })).toEqual(err(error));
  });

  const needs =
    "The folder needs config.json with the label entailment, tokenizer.json, tokenizer_config.json and onnx/model.onnx; no file is downloaded.";
  test.each<[string, string, () => Promise<unknown>, string, string]>([
    [
      "a folder without a model",
      join(folder, "onnx"),
      async () => fakePackage().module,
      "model_unavailable",
      `The NLI model in ${join(folder, "onnx")} can't be used: there is no config.json. ${needs}`,
    ],
    [
      "labels without entailment",
      folder,
      async () => fakePackage({ labels: { 0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2" } }).module,
      "model_unavailable",
      `The NLI model in ${folder} can't be used: its labels are LABEL_0, LABEL_1, LABEL_2, and none is "entailment". ${needs}`,
    ],
    [
      "weights that cannot be read",
      folder,
      async () => ({
        ...fakePackage().module,
        AutoTokenizer: { from_pretrained: () => Promise.reject(new Error("no tokenizer.json.")) },
      }),
      "model_unavailable",
      `The NLI model in ${folder} can't be used: no tokenizer.json. ${needs}`,
    ],
    [
      "a package of another shape",
      folder,
      async () => ({ pipeline: () => {} }),
      "broken_package",
      "The package @huggingface/transformers can't be used: it doesn't export AutoTokenizer and AutoModelForSequenceClassification. Install version 4: npm install --save-dev @huggingface/transformers@4",
    ],
    [
      "a package that throws",
      folder,
      () => Promise.reject(new Error("no binding for this platform")),
      "broken_package",
      "The package @huggingface/transformers can't be used: no binding for this platform. Reinstall it: npm install --save-dev @huggingface/transformers",
    ],
  ])("with %s is a provider error", async (_, path, load, code, message) => {
    expect(await localNli({ folder: path, load }).entail([PAIR])).toMatchObject(
      err({ kind: "provider", code, message, operation: "verify", retryable: false }),
    );
  });

  test("retries after a failure", async () => {
    const { module } = fakePackage();
    let loads = 0;
    const nli = localNli({ folder, load: async () => ((loads += 1) === 1 ? undefined : module) });
    expect([await nli.entail([PAIR]), await nli.entail([PAIR])]).toMatchObject([{ ok: false }, { ok: true }]);
  });
});
