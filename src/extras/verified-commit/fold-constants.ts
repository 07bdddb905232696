import type { SyntaxNode } from "../../cli/init/syntax.ts";
import { type Plain, UNKNOWN, type Value } from "./runner-words.ts";

/** The value of a literal; unknown for a regular expression. */
export function constantOf(node: SyntaxNode): Value {
  const value = node["value"];
  if (value === null) return "regex" in node ? UNKNOWN : { kind: "constant", value };
  const isPlain = ["string", "number", "boolean", "bigint"].includes(typeof value);
  return isPlain ? { kind: "constant", value: plainOf(value) } : UNKNOWN;
}

function plainOf(value: unknown): Plain {
  if (typeof value === "string" || typeof value === "number") return value;
  return typeof value === "boolean" || typeof value === "bigint" ? value : undefined;
}

/** What a unary operator makes of a value, where that is known. */
export function unary(operator: string, { ...value }: Value): Value {
  if (operator === "void") return { kind: "constant", value: undefined };
  if (operator === "!" && (value.kind === "object" || value.kind === "list" || value.kind === "function"))
    return { kind: "constant", value: false };
  if (value.kind !== "constant") return UNKNOWN;
  switch (operator) {
    case "!":
      return { kind: "constant", value: !value.value };
    case "typeof":
      return { kind: "constant", value: typeof value.value };
    case "-":
    case "+":
    case "~": {
      if (typeof value.value === "bigint") return UNKNOWN;
      const number = Number(value.value);
      const computed: Readonly<Record<string, number>> = { "-": -number, "+": number, "~": ~number };
      return { kind: "constant", value: computed[operator] };
    }
    default:
      return UNKNOWN;
  }
}

/** What a binary operator makes of two values, where that is known. */
export function binary(operator: string, left: Value, right: Value): Value {
  if (left.kind !== "constant" || right.kind !== "constant") return UNKNOWN;
  const [a, b] = [left.value, right.value];
  if (operator === "===" || operator === "!==") return { kind: "constant", value: (a === b) === (operator === "===") };
  // Between unlike kinds, what JavaScript makes of them is nobody's test.
  if (operator === "==" || operator === "!=")
    return typeof a === typeof b ? { kind: "constant", value: (a === b) === (operator === "==") } : UNKNOWN;
  if (operator === "+" && (typeof a === "string" || typeof b === "string"))
    return { kind: "constant", value: String(a) + String(b) };
  if (typeof a !== "number" || typeof b !== "number") return UNKNOWN;
  const computed = arithmetic(operator, a, b);
  return computed === undefined ? UNKNOWN : { kind: "constant", value: computed };
}

function arithmetic(operator: string, a: number, b: number): number | boolean | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
    default:
      return undefined;
  }
}
