import { isArray } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";

/** Parsed arguments of a command, as its specification allows them. */
export interface CommandInput {
  /** Operands in order, including those after `--`. */
  readonly operands: readonly string[];
  /** Returns the value of an option by its camel-case name; undefined if not given. */
  text(name: string): string | undefined;
  /** Returns every value of a repeatable option; empty if not given. */
  list(name: string): readonly string[];
  /** Returns whether an option without a value was given. */
  flag(name: string): boolean;
}

/** Types the arguments that commander parsed. */
export function commandInput(operands: readonly string[], options: Readonly<Record<string, unknown>>): CommandInput {
  const own = (name: string): unknown => (Object.hasOwn(options, name) ? options[name] : undefined);
  return {
    operands,
    text(name) {
      const value = own(name);
      return typeof value === "string" ? value : undefined;
    },
    list(name) {
      const value = own(name);
      return isArray(value) ? value.filter((item) => typeof item === "string") : [];
    },
    flag: (name) => own(name) === true,
  };
}

/** Reads `--limit`, a number from 1; undefined if not given. The error is a sentence. */
export function limitOf(input: CommandInput): Result<number | undefined, string> {
  const limit = input.text("limit");
  if (limit === undefined) return ok(undefined);
  return /^[1-9]\d*$/.test(limit)
    ? ok(Number(limit))
    : err(`--limit must be an integer of at least 1, got "${limit}".`);
}

/** Splits the facts of `--meta` into keys and values. The error is one sentence on an invalid fact. */
export function metaFacts(input: CommandInput): Result<readonly (readonly [key: string, value: string])[], string> {
  const facts = input.list("meta");
  const odd = facts.find((fact) => fact.indexOf("=") < 1);
  if (odd !== undefined) return err(`--meta must be key=value, got ${quote(odd)}.`);
  return ok(facts.map((fact) => [fact.slice(0, fact.indexOf("=")), fact.slice(fact.indexOf("=") + 1)]));
}
