import { isDeepStrictEqual } from "node:util";
import type { Behaviour, Scene } from "./behaviour.ts";
import { unchanged } from "./behaviour.ts";
import { BROKEN_CHANGES } from "./broken-changes.ts";
import type { SignalDocument } from "./documents.ts";
import { drawOf } from "./draw.ts";
import { EDITED_VALUES } from "./edited-values.ts";
import { extractionOf } from "./extraction.ts";
import { NOISE } from "./noise.ts";
import { REQUEST_CHANGES } from "./request-changes.ts";
import { STEP_CHANGES, type Given, type SceneMaker } from "./step-changes.ts";
import { WORLD_CHANGES, WORLD_NOISE } from "./world-changes.ts";
import { VALUE_CHANGES, type ValueChange } from "./value-changes.ts";

/** One check that is planned: a test runs it on what was, keeps that, and runs it on what is. */
export interface PlannedCase extends Pick<Scene, "matcher" | "mode" | "rules" | "options" | "cause"> {
  /** The test's name, of which there is one. */
  readonly title: string;
  readonly class: string;
  readonly isNoise: boolean;
  readonly step: string;
  readonly input: SignalDocument;
  readonly before: Behaviour;
  readonly after: Behaviour;
}

const SCENES = { ...EDITED_VALUES, ...STEP_CHANGES, ...REQUEST_CHANGES, ...WORLD_CHANGES, ...BROKEN_CHANGES };
const QUIET = { ...NOISE, ...WORLD_NOISE };

/** The names of all classes, changes first. */
export const CLASSES: readonly string[] = [VALUE_CHANGES, SCENES, QUIET].flatMap(Object.keys);

/** Plans every class for every document. */
export function planCases(documents: readonly SignalDocument[]): readonly PlannedCase[] {
  const makers = [
    ...Object.entries(VALUE_CHANGES).map(([name, change]) => [name, ofValue(change)] as const),
    ...Object.entries(SCENES),
  ];
  return documents.flatMap((document) => [
    ...makers.flatMap(([name, maker]) => planned(name, maker, { document, isNoise: false })),
    ...Object.entries(QUIET).flatMap(([name, maker]) => planned(name, maker, { document, isNoise: true })),
  ]);
}

/** A value that comes out otherwise: of the step's code, of the model, as a plain value, in a replay, beside another. */
function ofValue(change: ValueChange): SceneMaker {
  return ({ found, draw: generated }) => {
    const after = change(found, generated);
    if (after === undefined) return [];
    return [
      { matcher: "step", mode: "replay", after: { output: after }, cause: "code" },
      { matcher: "step", mode: "live", after: { answer: after }, cause: "model" },
      { matcher: "value", mode: "replay", after: { output: after } },
      { matcher: "result", mode: "live", after: { output: after } },
      { matcher: "replay", mode: "replay", after: { output: after } },
      { matcher: "key", mode: "replay", after: { output: after } },
    ];
  };
}

function planned(
  name: string,
  maker: SceneMaker,
  { document, isNoise }: { readonly document: SignalDocument; readonly isNoise: boolean },
): readonly PlannedCase[] {
  const found = extractionOf(document);
  const was = unchanged(document, found);
  const given: Given = { was, found, draw: drawOf(name, document.id) };
  return maker(given).map(({ before, after, ...scene }, index) => {
    const title = `${name} / ${scene.matcher} ${scene.mode} ${index} / ${document.id}`;
    const whole = { ...was, ...before };
    const changed = { ...whole, ...after };
    if (!isNoise && isDeepStrictEqual(whole, changed)) throw new Error(`${title}: nothing is changed.`);
    const step = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    return { ...scene, title, class: name, isNoise, step, input: document, before: whole, after: changed };
  });
}
