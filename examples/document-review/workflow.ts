import { z } from "zod";
import { type Workflow, defineStep, defineWorkflow } from "veritest";
import { emit, fanout, invoke, review, suspend } from "veritest/commands";

const page = z.object({ page: z.number(), text: z.string() });

const split = defineStep({
  name: "split",
  input: z.object({ text: z.string() }),
  output: z.looseObject({}),
  run: ({ text }) => {
    const pages = text.split("\f").map((part, index) => ({ page: index + 1, text: part }));
    return {
      output: { pages: pages.length },
      commands: [fanout("read", pages), invoke("sign", { pages: pages.length })],
    };
  },
});

const read = defineStep({
  name: "read",
  input: page,
  output: z.looseObject({}),
  run: ({ page: number, text }) => ({
    output: { [`page${number}`]: text.length },
    commands: [emit("page.read", { page: number })],
  }),
});

/** Waits for a signature; resumed, it asks a person whether all is well. */
const sign = defineStep({
  name: "sign",
  input: z.union([z.object({ pages: z.number() }), z.object({ checkpoint: z.unknown(), resumeData: z.string() })]),
  output: z.looseObject({}),
  run: (input) =>
    "resumeData" in input
      ? {
          output: { signedBy: input.resumeData },
          commands: [review("Is the signature right?"), emit("document.done", {})],
        }
      : { output: {}, commands: [suspend({ reason: "A signature is missing.", checkpoint: { pages: input.pages } })] },
});

/** A document is split, its pages are read at once, it waits for a signature, and a person looks at it. */
export const documents: Workflow = defineWorkflow({
  name: "documents",
  version: "1.0.0",
  steps: { split, read, sign },
});
