import { escapeText } from "../base/text.ts";
import { checkCommands } from "../step/check-commands.ts";
import type { Workflow } from "../step/define-workflow.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { readResult, wrongReceived } from "./received.ts";

/**
 * Passes for a step result whose commands are sound: well-formed, at most one blocking, and with a workflow every named
 * step known and its input accepted by that step's schema.
 *
 * @example
 * await expect(result).toHaveValidCommands(workflow);
 */
export async function toHaveValidCommands(this: MatcherContext, received: unknown, workflow?: Workflow): Promise<MatcherAnswer> {
  const read = readResult(received);
  if (read.kind === "neither") throw wrongReceived("toHaveValidCommands", "a StepResult or a Result of one", received);
  if (read.kind === "error") {
    return { pass: false, message: () => `toHaveValidCommands: the step failed with ${escapeText(`${read.error.code}: ${read.error.message}`)}` };
  }
  const problems = await checkCommands(read.result.commands ?? [], workflow);
  const lines = problems.map(({ index, message }) => escapeText(`  ${index === undefined ? "commands" : `commands[${index}]`}: ${message}`));
  const message = (): string =>
    problems.length === 0 ? "toHaveValidCommands: expected a problem, found none" : `toHaveValidCommands: the commands are not sound\n${lines.slice(0, 20).join("\n")}`;
  return { pass: problems.length === 0, message };
}
