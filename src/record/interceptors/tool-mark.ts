import type { CallRole } from "../../kernel/call-role.ts";

/** Marks a function as a tool, in all copies of this module. */
const TOOL = Symbol.for("veritest.tool");

/** Facts that a tool declares. */
export interface ToolFacts {
  readonly name: string;
  readonly role: Exclude<CallRole, "model">;
  /** Stub for a write that is skipped; called with the tool's arguments. */
  readonly stub?: ((...args: readonly unknown[]) => unknown) | undefined;
}

/** Marks a function as a tool; hands it back. */
export function markTool<F extends object>(tool: F, facts: ToolFacts): F {
  return Object.defineProperty(tool, TOOL, { value: facts, configurable: true });
}

/** Declared facts of a tool; undefined for any other value. */
export function toolFacts(value: object): ToolFacts | undefined {
  const facts: unknown = Object.hasOwn(value, TOOL) ? Reflect.get(value, TOOL) : undefined;
  return isToolFacts(facts) ? facts : undefined;
}

function isToolFacts(value: unknown): value is ToolFacts {
  return typeof value === "object" && value !== null && "name" in value && "role" in value;
}
