import { checkCommands } from "../step/check-commands.ts";
import type { Workflow } from "../step/define-workflow.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { readResult, wrongReceived } from "./received.ts";
import { errorText } from "./to-be-ok.ts";
import { atMost, shownError } from "./words.ts";

/**
 * Passes for a step result whose commands are sound: well-formed, at most one blocking, and with a workflow every named
 * step known and its input accepted by that step's schema.
 *
 * @example
 * await expect(result).toHaveValidCommands(workflow);
 */
export async function toHaveValidCommands(
  this: MatcherContext,
  received: unknown,
  workflow?: Pick<Workflow, "name" | "steps">,
): Promise<MatcherAnswer> {
  const read = readResult(received);
  if (read.kind === "neither") throw wrongReceived("toHaveValidCommands", "a StepResult or a Result of one", received);
  if (read.kind === "error") throw new Error(`toHaveValidCommands: the step failed with ${errorText(read.error)}`);
  const problems = await checkCommands(read.result.commands ?? [], workflow);
  const message = (): string => {
    if (problems.length === 0) return "toHaveValidCommands: expected a problem, found none";
    const lines = problems.map(
      ({ index, message: found }) =>
        `  ${index === undefined ? "commands" : `commands[${index}]`}: ${shownError(found).replaceAll("\n", " ")}`,
    );
    return ["toHaveValidCommands: the commands are not sound", ...atMost(lines, 20)].join("\n");
  };
  return { pass: problems.length === 0, message };
}
