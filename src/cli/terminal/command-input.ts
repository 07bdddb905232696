import { isArray } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";

/** What was given to a command, as its specification lets it through. */
export interface CommandInput {
  /** The operands in their order, those after `--` too. */
  readonly operands: readonly string[];
  /** The value of an option by its camel-case name; undefined where it was not given. */
  text(name: string): string | undefined;
  /** Every value of a repeatable option; none where it was not given. */
  list(name: string): readonly string[];
  /** Whether an option without a value was given. */
  flag(name: string): boolean;
}

/** Types what commander parsed. */
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

/** How many `--limit` asks for, a number from 1 on; undefined where it was not given. A sentence for all else. */
export function limitOf(input: CommandInput): Result<number | undefined, string> {
  const limit = input.text("limit");
  if (limit === undefined) return ok(undefined);
  return /^[1-9]\d*$/.test(limit) ? ok(Number(limit)) : err(`--limit is a number from 1 on, not "${limit}".`);
}
