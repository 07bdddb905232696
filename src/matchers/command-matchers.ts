import { types } from "node:util";
import { matchMultiset } from "./match-multiset.ts";
import { refuseUnknownWord } from "../kernel/did-you-mean.ts";
import { quote } from "../kernel/text.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { checkCommands } from "../kernel/step/check-commands.ts";
import { COMMAND_FIELDS, type Command, isBlockingCommand, isControlCommand } from "../kernel/step/command.ts";
import type { Workflow } from "../kernel/step/define-workflow.ts";
import type { AsymmetricMatcher, MatcherResult, MatcherContext } from "./matcher-context.ts";
import { type ExpectedName, nameTest, valueTest } from "./expected-values.ts";
import { hiddenNote } from "./hidden-values.ts";
import { withResult } from "./received.ts";
import { atMost, shownError, shownValue } from "./matcher-text.ts";

/**
 * Passes if the step result has exactly these commands, in any order. Commands may contain asymmetric matchers, RegExps
 * and functions. Without arguments, it passes if there are no commands. `.not` passes if none of these commands is
 * present, and without arguments if there are no commands.
 *
 * @example
 * expect(result).toCommand(invoke("verify", expect.anything()), emit("claims.extracted", { count: 8 }));
 */
export function toCommand(
  this: MatcherContext,
  received: unknown,
  ...wanted: readonly (Command | AsymmetricMatcher | RegExp | ((command: Command) => boolean))[]
): MatcherResult {
  const tests = wanted.map((expected) => ({ expected, isMatch: commandTest(expected, this) }));
  return withResult("toCommand", received, ({ commands = [] }) => {
    // Without arguments, .not reads as "emits no command".
    if (this.isNot === true) return noneOf(tests.length > 0 ? tests : [{ isMatch: () => true }], commands);
    const { missing, unexpected } = matchMultiset(tests, commands, ({ isMatch }, command) => isMatch(command));
    const pass = missing.length === 0 && unexpected.length === 0;
    const message = (): string =>
      explain(
        missing.map(({ expected }) => expected),
        unexpected,
      );
    return { pass, message };
  });
}

/** Under `.not` the names of steps and topics are patterns, and their case is ignored. */
function commandTest(expected: unknown, context: MatcherContext): (command: unknown) => boolean {
  const isCommand = typeof expected === "function" || (typeof expected === "object" && expected !== null);
  if (!isCommand || Array.isArray(expected))
    throw new TypeError(`toCommand expects commands, functions or RegExps, got ${shownValue(expected)}.`);
  if (isPlainObject(expected)) refuseMisspeltCommand(expected, context.isNot === true);
  if (context.isNot !== true || !isPlainObject(expected)) return valueTest("toCommand", expected, context);
  const named = Object.entries(expected).flatMap(([field, value]) =>
    value === undefined ? [] : [[field, isName(field, value) ? anyName(value) : value] as const],
  );
  return valueTest("toCommand", Object.fromEntries(named), context);
}

/**
 * Under `.not`, a misspelt type or field would match no command. Without it, commands may have additional fields, and
 * the difference shows a misspelt one.
 */
function refuseMisspeltCommand(expected: Readonly<Record<string, unknown>>, isNot: boolean): void {
  if ("asymmetricMatch" in expected) return;
  const { type } = expected;
  const isWord = typeof type === "string";
  if (isWord) refuseUnknownWord("toCommand: type", type, Object.keys(COMMAND_FIELDS));
  if (!isNot) return;
  const fields = Object.entries(COMMAND_FIELDS).filter(([name]) => !isWord || name === type);
  const known = ["type", ...new Set(fields.flatMap(([, names]) => Object.keys(names)))];
  for (const field of Object.keys(expected))
    refuseUnknownWord(`toCommand: a field of ${isWord ? type : "a command"}`, field, known);
}

function isName(field: string, value: unknown): value is ExpectedName {
  return (field === "topic" || field === "step") && (typeof value === "string" || types.isRegExp(value));
}

function anyName(expected: ExpectedName): (actual: unknown) => boolean {
  const isMatch = nameTest("toCommand", expected, true);
  return (actual) => typeof actual === "string" && isMatch(actual);
}

/** Under `.not`: one of the commands among others is enough to fail. */
function noneOf(
  tests: readonly { readonly isMatch: (command: unknown) => boolean }[],
  commands: readonly unknown[],
): MatcherResult {
  const matches = commands.filter((command) => tests.some(({ isMatch }) => isMatch(command)));
  const message = (): string => {
    const lines = matches.map((command) => `  ${shownValue(command)}`);
    const note = hiddenNote(true, matches);
    return ["toCommand: expected none of these commands, got", ...atMost(lines, 20), ...note].join("\n");
  };
  return { pass: matches.length > 0, message };
}

function explain(missing: readonly unknown[], unexpected: readonly unknown[]): string {
  const lines = [
    ...missing.map((command) => `- missing ${shownValue(command)}`),
    ...unexpected.map((command) => `+ unexpected ${shownValue(command)}`),
  ];
  return ["toCommand: the commands differ", ...atMost(lines, 20)].join("\n");
}

/**
 * Passes if the step result schedules this step, with `invoke` or as an input of a `fanout`. The name can be a pattern
 * or a RegExp. If you pass an input, it must be equal. It can contain asymmetric matchers, RegExps and functions. Under
 * `.not`, an input that contains yours also matches, and without an input, so do `then` of a `fanout` and `resumeStep`.
 *
 * @example
 * expect(result).toInvoke("verify", { claims: expect.any(Array) });
 */
export function toInvoke(
  this: MatcherContext,
  received: unknown,
  step: ExpectedName,
  ...input: [input?: unknown]
): MatcherResult {
  const isStep = nameTest("toInvoke", step, this.isNot);
  const isInput = valueTest("toInvoke", input[0], this);
  return withResult("toInvoke", received, ({ commands = [] }) => {
    const control = commands.filter(isControlCommand);
    const inputs = control
      .filter((command) => isStep(command.step))
      .flatMap((command) => (command.type === "invoke" ? [command.input] : command.inputs));
    const later = this.isNot === true ? commands.flatMap(laterSteps).filter(isStep) : [];
    const pass = input[0] === undefined ? inputs.length + later.length > 0 : inputs.some(isInput);
    const message = (): string => {
      const wanted = input[0] === undefined ? "" : ` with ${shownValue(input[0])}`;
      const steps = later.length > 0 ? later : control.map((command) => command.step);
      const rendered = (inputs.length > 0 ? inputs : steps).map(shownValue);
      const listed = atMost(rendered, 10).join(", ") || "none";
      const invocation = `invocation of ${quote(String(step))}${wanted}`;
      const head = `toInvoke: expected ${pass ? "no" : "an"} ${invocation}, got ${listed}`;
      return [head, ...hiddenNote(pass && wanted !== "", inputs)].join("\n");
    };
    return { pass, message };
  });
}

/** Steps that a command schedules for later, with an input that isn't known yet. */
function laterSteps(command: Command): readonly string[] {
  const later = [command.type === "fanout" && command.then, command.type === "suspend" && command.resumeStep];
  return later.filter((step) => typeof step === "string");
}

/**
 * Passes if the step result is blocked until a person decides (`review`) or data arrives (`suspend`).
 *
 * @example
 * expect(result).toBlockOn("review");
 */
export function toBlockOn(this: MatcherContext, received: unknown, type: "review" | "suspend"): MatcherResult {
  if (type !== "review" && type !== "suspend")
    throw new TypeError(`toBlockOn expects "review" or "suspend", got ${shownValue(type)}.`);
  return withResult("toBlockOn", received, ({ commands = [] }) => {
    const blocking = commands.filter(isBlockingCommand);
    const pass = blocking.some((command) => command.type === type);
    const message = (): string => {
      const rendered = blocking.map((command) => `${command.type} ${shownValue(command.reason)}`);
      const listed = atMost(rendered, 10).join(", ") || "no blocking command";
      return `toBlockOn: expected ${pass ? "no" : "a"} ${type}, got ${listed}`;
    };
    return { pass, message };
  });
}

/**
 * Passes if the commands of the step result are well-formed, and at most one of them is blocking. If you pass a
 * workflow, it must have each named step, and that step's schema must accept the input.
 *
 * @example
 * await expect(result).toHaveValidCommands(workflow);
 */
export async function toHaveValidCommands(
  this: MatcherContext,
  received: unknown,
  workflow?: Pick<Workflow, "name" | "steps">,
): Promise<MatcherResult> {
  const { commands = [] } = withResult("toHaveValidCommands", received, (result) => result);
  const problems = await checkCommands(commands, workflow);
  const message = (): string => {
    if (problems.length === 0) return "toHaveValidCommands: expected a problem, got none";
    const lines = problems.map(
      ({ index, message }) =>
        `  ${index === undefined ? "commands" : `commands[${index}]`}: ${shownError(message).replaceAll("\n", " ")}`,
    );
    return ["toHaveValidCommands: the commands are invalid", ...atMost(lines, 20)].join("\n");
  };
  return { pass: problems.length === 0, message };
}
