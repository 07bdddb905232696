import type { Binding } from "./source/scopes.ts";
import type { SyntaxNode } from "../../cli/init/syntax.ts";

/** What keeps a test or a group of tests from counting. */
export type MarkKind = "skipped" | "focused" | "todo" | "conditional" | "expected-to-fail";

/** A value that is written as it is. */
export type Plain = string | number | bigint | boolean | null | undefined;

/** What an expression of a test file is, as far as its text tells. */
export type Value =
  /** What defines tests or groups; where it is `pending`, only after one more call. */
  | {
      readonly kind: "runner";
      readonly role: Role;
      readonly marks: readonly MarkKind[];
      readonly pending?: "cases" | "for" | "one";
      readonly isSure: boolean;
    }
  /** A runner's `call`, `apply` or `bind`. */
  | { readonly kind: "indirect"; readonly runner: Value; readonly how: string }
  | { readonly kind: "module"; readonly name: string }
  | { readonly kind: "globals" }
  /** What a test is given while it runs; of a runner whose assertions are the context's own members, `asserts`. */
  | { readonly kind: "context"; readonly asserts: boolean }
  /** Marks the test that calls it. */
  | { readonly kind: "mark"; readonly mark: MarkKind }
  | { readonly kind: "expect" }
  | { readonly kind: "assert"; readonly member: string }
  | { readonly kind: "constant"; readonly value: Plain }
  | { readonly kind: "function"; readonly node: SyntaxNode }
  | { readonly kind: "object" | "list"; readonly node: SyntaxNode }
  | { readonly kind: "unknown" };

type Role = "test" | "group" | "hook";
/** What defines tests, groups or hooks. */
export type RunnerValue = Extract<Value, { kind: "runner" }>;

/** What is not known. */
export const UNKNOWN: Value = { kind: "unknown" };
/** What a test is given while it runs. */
export const CONTEXT: Value = { kind: "context", asserts: false };

const MARKS: Readonly<Record<string, MarkKind>> = {
  skip: "skipped",
  only: "focused",
  todo: "todo",
  fails: "expected-to-fail",
  failing: "expected-to-fail",
  expectFailure: "expected-to-fail",
  skipIf: "conditional",
  runIf: "conditional",
  todoIf: "conditional",
  if: "conditional",
};
const CONDITIONS: ReadonlySet<string> = new Set(["skipIf", "runIf", "todoIf", "if"]);
const HOOKS: ReadonlySet<string> = new Set([
  "beforeEach",
  "beforeAll",
  "afterEach",
  "afterAll",
  "aroundEach",
  "aroundAll",
  "before",
  "after",
]);
/** Members of a runner that define no test. */
const NO_TEST: ReadonlySet<string> = new Set([
  "step",
  "use",
  "override",
  "mock",
  "assert",
  "info",
  "setTimeout",
  "suite",
]);

const NAMES: Readonly<Record<string, RunnerValue>> = {
  ...named(["test", "it", "specify"], "test", []),
  ...named(["describe", "suite"], "group", []),
  ...named(["xit", "xtest"], "test", ["skipped"]),
  ...named(["fit", "ftest"], "test", ["focused"]),
  ...named(["xdescribe"], "group", ["skipped"]),
  ...named(["fdescribe"], "group", ["focused"]),
  ...named([...HOOKS], "hook", []),
};

function named(names: readonly string[], role: Role, marks: readonly MarkKind[]): Record<string, RunnerValue> {
  return Object.fromEntries(names.map((name) => [name, { kind: "runner", role, marks, isSure: true }]));
}

const GLOBALS: ReadonlySet<string> = new Set(["globalThis", "global", "window", "self"]);
const ASSERT_MODULE = /^(?:node:)?assert(?:\/strict)?$/;
/** Runners whose tests assert by members of what they are given. */
export const CONTEXT_ASSERTS: RegExp = /^(?:ava|tap|tape|uvu|qunit|zora|@japa\/runner)$/;
const MODULES = /^(?:vitest|@jest\/globals|bun:test|mocha|@playwright\/test)$/;

export function runnerMember(runner: RunnerValue, key: string): Value {
  if (["call", "apply", "bind"].includes(key)) return { kind: "indirect", runner, how: key };
  if (runner.role === "hook") return UNKNOWN;
  const mark = Object.hasOwn(MARKS, key) ? MARKS[key] : undefined;
  if (mark !== undefined)
    return { ...runner, marks: [...runner.marks, mark], ...(CONDITIONS.has(key) ? { pending: "one" } : {}) };
  if (key === "each" || key === "for") return { ...runner, pending: key === "each" ? "cases" : "for" };
  if (key === "extend") return { ...runner, pending: "one" };
  if (NO_TEST.has(key) && !(key === "suite" && runner.role === "group")) return UNKNOWN;
  const own = Object.hasOwn(NAMES, key) ? NAMES[key] : undefined;
  return own === undefined ? runner : { ...own, isSure: runner.isSure };
}

export function moduleMember(module: string, key: string): Value {
  if (ASSERT_MODULE.test(module) || (module === "chai" && key !== "expect" && key !== "should"))
    return { kind: "assert", member: key };
  if (key === "default" || key === "*") return MODULES.test(module) ? { kind: "module", name: module } : UNKNOWN;
  return MODULES.test(module) ? globalNamed(key) : guessed(key);
}

export function contextMember(asserts: boolean, key: string): Value {
  if (key === "skip" || key === "todo") return { kind: "mark", mark: key === "skip" ? "skipped" : "todo" };
  if (key === "test" || key === "it" || key === "describe") return globalNamed(key);
  if (key === "expect") return { kind: "expect" };
  if (key === "assert") return { kind: "assert", member: "" };
  const isTalk = ["log", "plan", "timeout", "teardown", "comment", "context", "pass", "end"].includes(key);
  return asserts && !isTalk ? { kind: "assert", member: key } : UNKNOWN;
}

export function importOf({ module = "", imported = "", name }: Binding): Value {
  if (imported === "*") return moduleNamed(module);
  if (imported !== "default") {
    const value = moduleMember(module, imported);
    return value.kind === "unknown" ? guessed(name) : value;
  }
  if (ASSERT_MODULE.test(module)) return { kind: "assert", member: "" };
  if (/^(?:node:)?test$/.test(module) || CONTEXT_ASSERTS.test(module)) return globalNamed("test");
  return MODULES.test(module) ? { kind: "module", name: module } : guessed(name);
}

/** What `node:test` exports is its `test`, whose members are the rest. */
export function moduleNamed(name: string): Value {
  if (ASSERT_MODULE.test(name)) return { kind: "assert", member: "" };
  return /^(?:node:)?test$/.test(name) ? globalNamed("test") : { kind: "module", name };
}

export function globalNamed(name: string): Value {
  if (name === "undefined") return { kind: "constant", value: undefined };
  if (name === "NaN" || name === "Infinity") return { kind: "constant", value: Number(name) };
  if (name === "pending") return { kind: "mark", mark: "skipped" };
  return GLOBALS.has(name) ? { kind: "globals" } : runnerNamed(name, true);
}

/** What a name says of something that is not known: a runner that another file made is called like one. */
export function guessed(name: string): Value {
  return /^(?:test|it|describe|suite|expect|assert)$/.test(name) ? runnerNamed(name, false) : UNKNOWN;
}

function runnerNamed(name: string, isSure: boolean): Value {
  if (name === "expect") return { kind: "expect" };
  if (name === "assert") return { kind: "assert", member: "" };
  const runner = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  return runner === undefined ? UNKNOWN : { ...runner, isSure };
}

/** One of several: a runner keeps every mark that one of them has, and is conditional where they differ. */
export function either(values: readonly Value[]): Value {
  const runners = values.filter((value) => value.kind === "runner");
  const [first] = runners;
  if (first === undefined) return values.length === 1 ? (values[0] ?? UNKNOWN) : UNKNOWN;
  const marks = [...new Set(runners.flatMap((runner) => runner.marks))];
  const differ = runners.some((runner) => runner.marks.length !== marks.length);
  return { ...first, marks: differ ? [...marks, "conditional"] : marks };
}
