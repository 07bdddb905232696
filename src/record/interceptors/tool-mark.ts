import type { CallRole } from "../../kernel/call-role.ts";

/** Marks a function as a tool, in all copies of this module. */
const TOOL = Symbol.for("veritest.tool");

/** What a tool says of itself. */
export interface ToolFacts {
  readonly name: string;
  readonly role: Exclude<CallRole, "model">;
  /** Answers in the place of a write that is not to run; asked with the tool's arguments. */
  readonly stub?: ((...args: readonly unknown[]) => unknown) | undefined;
}

/** Marks a function as a tool; hands it back. */
export function markTool<F extends object>(tool: F, facts: ToolFacts): F {
  return Object.defineProperty(tool, TOOL, { value: facts, configurable: true });
}

/** What a tool says of itself; undefined for anything else. */
export function toolFacts(value: object): ToolFacts | undefined {
  const facts: unknown = Object.hasOwn(value, TOOL) ? Reflect.get(value, TOOL) : undefined;
  return isToolFacts(facts) ? facts : undefined;
}

function isToolFacts(value: unknown): value is ToolFacts {
  return typeof value === "object" && value !== null && "name" in value && "role" in value;
}
