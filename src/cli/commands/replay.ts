import { ok } from "../../kernel/result.ts";
import type { CliCommand } from "../command.ts";
import type { FromSource } from "../cases/from-source.ts";
import { replayQuestion } from "../cases/question.ts";
import { checkAllCommand } from "../cases/check-command.ts";
import { CHECK_OPTIONS } from "../cases/check-options.ts";

/** `veritest replay`: runs steps again on their recorded responses only, and fails unless every byte is the same. */
export const replayCommand = (from: FromSource): CliCommand => ({
  options: [
    ...CHECK_OPTIONS,
    ...from.options,
    {
      flags: "--check-files",
      description: "also check each file's hashes and layout",
    },
  ],
  examples: [
    "veritest replay                         # every baseline, offline",
    "veritest replay --check-files --step extract # also check that the files are undamaged",
  ],
  run: async (input, io) =>
    checkAllCommand(input, io, {
      verb: "replay",
      from,
      keeps: false,
      failsOnChanges: true,
      prepare: () => ok(replayQuestion({ verify: input.flag("checkFiles") })),
    }),
});
