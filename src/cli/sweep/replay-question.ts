import type { StoredCase } from "../../baseline/library.ts";
import { readBack, serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { explainCheck } from "../../check/cause/find-cause.ts";
import { checkCase } from "../../check/check-case.ts";
import { storedCase } from "../../check/find-case.ts";
import { messageOf } from "../../base/thrown.ts";
import type { Question } from "./sweep-command.ts";

const RESTORE = "It was edited by hand or damaged in a merge. Restore it from git, or delete it and capture it again.";

const REPLAY = { answers: { kind: "recorded", given: false }, exact: true } as const;

/**
 * Makes the question of `replay`: given the recorded answers, does today's step write the same bytes? With `verify`
 * each file is held against itself before: its hashes, and the bytes it would be written as.
 */
export function replayQuestion({ verify }: { readonly verify: boolean }): Question {
  return {
    runs: 1,
    adapters: "recorded",
    async ask({ configured, root }, stored) {
      const problem = verify ? fileProblem(stored) : undefined;
      if (problem === undefined)
        return checkCase(storedCase(configured.step, stored), { ...REPLAY, root }, explainCheck);
      const { file, path } = stored;
      return { file, path, verdict: { kind: "broken", problem }, propose: undefined };
    },
  };
}

/** What is wrong with a file whatever its step does; nothing for one that cannot be read, of which the replay tells. */
function fileProblem({ baseline, file, text }: StoredCase): string | undefined {
  if (!baseline.ok) return undefined;
  // A checkout may have other line ends than were written.
  const own = text.replaceAll("\r\n", "\n");
  try {
    const damage = readBack(own);
    if (damage !== undefined) return `Cannot use ${file}: ${damage}. ${RESTORE}`;
    return serializeBaseline(baseline.value) === own
      ? undefined
      : `Cannot use ${file}: it is not laid out as this version of veritest writes it. ${RESTORE}`;
  } catch (thrown) {
    return `Cannot use ${file}: ${messageOf(thrown)}. ${RESTORE}`;
  }
}
