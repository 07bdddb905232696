import { type SyntaxNode, bare, child, isFunction, list, nodesOf, word } from "../../cli/init/syntax.ts";
import type { RunnerValues } from "./runner-values.ts";

/** A call that asserts, with what its text says of it. */
export interface AssertingCall {
  /** All of it, up to its matcher. */
  readonly node: SyntaxNode;
  readonly form: "expect" | "assert" | "named" | "helper" | "soft-helper" | "should" | "throw";
  /** What is asserted on: the arguments of `expect`, or of the call itself. */
  readonly subjects: readonly SyntaxNode[];
  /** Behind `expect(…)`: `not`, `resolves`, `toBe`. */
  readonly members: readonly string[];
  /** What the matcher is given; undefined where it is not called. */
  readonly expected: readonly SyntaxNode[] | undefined;
}

/** Matchers whose meaning is known: a constant that is asked by one of them answers the same each time. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    "toBe toEqual toStrictEqual toBeTruthy toBeFalsy toBeDefined toBeUndefined toBeNull toBeNaN toBeNullable",
    "toBeTypeOf toBeInstanceOf toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toBeCloseTo",
    "toContain toContainEqual toHaveLength toHaveProperty toMatch toMatchObject toSatisfy toBeOneOf",
    "toThrow toThrowError",
    "equal equals eql deep a an ok true false null undefined exist empty include contain above below least most within",
    "lengthOf match throw string keys members",
  ].flatMap((line) => line.split(" ")),
);
/** Words of a chain that assert nothing by themselves. */
const TALK: ReadonlySet<string> = new Set(
  [
    "not resolves rejects eventually to be been is that which and has have with at of same but does still also",
    "deep nested own ordered any all itself",
  ].flatMap((line) => line.split(" ")),
);

/**
 * Whether an assertion cannot fail: constants on both sides, a thing compared with itself, an `expect` without a
 * matcher, a matcher that the file itself replaces.
 */
export function isVacuous(call: AssertingCall, values: RunnerValues, replaced: ReadonlySet<string>): boolean {
  switch (call.form) {
    case "expect":
      return isVacuousExpect(call, values) || call.members.some((member) => KNOWN.has(member) && replaced.has(member));
    case "assert":
      return isVacuousAssert(call, values);
    case "named":
    case "helper":
    case "soft-helper":
    case "should":
    case "throw":
      return false;
  }
}

function isVacuousExpect({ node, subjects, members, expected }: AssertingCall, values: RunnerValues): boolean {
  const [subject] = subjects;
  // What has type arguments asserts by its types: the compiler is its matcher.
  if (subject === undefined) return !hasTypes(node);
  if (members.every((member) => TALK.has(member))) return true;
  const matcher = members.at(-1) ?? "";
  if (expected === undefined && /^to[A-Z]/.test(matcher)) return true;
  if (!KNOWN.has(matcher)) return false;
  const others = expected ?? [];
  if (isFixed(subject, values) && others.every((each) => isFixed(each, values))) return true;
  if (matcher.startsWith("toThrow")) return members.includes("not") && isEmptyFunction(subject);
  if (
    /^toBeTruthy$|^toBeDefined$|^ok$|^exist$/.test(matcher) &&
    !members.includes("not") &&
    values.truth(subject) === true
  )
    return true;
  const [other] = others;
  if (other === undefined || members.includes("not")) return false;
  return (
    isSame(subject, other, { values, byMembers: matcher !== "toBe" }) ||
    (isTrue(other, values) && values.truth(subject) === true)
  );
}

function isVacuousAssert({ node, subjects }: AssertingCall, values: RunnerValues): boolean {
  const callee = values.of(child(node, "callee"));
  const member = callee.kind === "assert" ? callee.member : "";
  if (/^(?:fail|ifError)$/.test(member) || subjects.length === 0) return member === "pass";
  const [left, right] = subjects;
  if (/^doesNot(?:Throw|Reject)$/.test(member)) return isEmptyFunction(left);
  if (/^(?:throws|rejects|plan)$/.test(member)) return false;
  const isOne = /^(?:|ok|default|strict|isTrue|isOk|true|truthy|isDefined|exists)$/.test(member);
  if (isOne) return values.truth(left) === true || isFixed(left, values);
  if (isFixed(left, values) && (right === undefined || isFixed(right, values))) return true;
  return (
    right !== undefined && !member.startsWith("not") && isSame(left, right, { values, byMembers: /eep/.test(member) })
  );
}

/** Whether an expression holds nothing but what is written there. */
function isFixed(node: SyntaxNode | undefined, values: RunnerValues): boolean {
  const inner = bare(node);
  if (inner === undefined) return true;
  switch (inner.type) {
    case "ArrayExpression":
      return list(inner, "elements").every((each) => isFixed(each, values));
    case "ObjectExpression":
      return list(inner, "properties").every(
        (each) => each.type === "Property" && isFixed(child(each, "value"), values),
      );
    case "Literal":
      return true;
    default:
      return values.of(inner).kind === "constant";
  }
}

function isTrue(node: SyntaxNode, values: RunnerValues): boolean {
  const value = values.of(node);
  return value.kind === "constant" && value.value === true;
}

interface Comparison {
  readonly values: RunnerValues;
  /** Whether a member is the same thing twice: a getter may make it each time, which `toBe` finds out. */
  readonly byMembers: boolean;
}

/** Whether two expressions are one and the same thing: names and members only, through constants that alias. */
function isSame(one: SyntaxNode | undefined, other: SyntaxNode | undefined, comparison: Comparison): boolean {
  const { values, byMembers } = comparison;
  const [a, b] = [origin(one, values), origin(other, values)];
  if (a === undefined || b === undefined || a.type !== b.type) return false;
  if (a.type === "Identifier") {
    const [left, right] = [values.scopes.bindingOf(a), values.scopes.bindingOf(b)];
    return word(a, "name") === word(b, "name") && left === right;
  }
  if (a.type === "ThisExpression") return true;
  if (a.type !== "MemberExpression" || !byMembers) return false;
  const key = values.keyOf(a);
  return key !== undefined && key === values.keyOf(b) && isSame(child(a, "object"), child(b, "object"), comparison);
}

/** What a constant was made from where that is another name. */
function origin(node: SyntaxNode | undefined, values: RunnerValues, depth = 0): SyntaxNode | undefined {
  const inner = bare(node);
  if (inner?.type !== "Identifier" || depth > 9) return inner;
  const binding = values.scopes.bindingOf(inner);
  const [only, ...others] = binding?.values ?? [];
  if (
    binding?.kind !== "variable" ||
    binding.changes > 0 ||
    others.length > 0 ||
    only === undefined ||
    only.path.length > 0
  )
    return inner;
  const made = bare(only.value);
  const source = made?.type === "Identifier" ? values.scopes.bindingOf(made) : undefined;
  return made?.type === "Identifier" && source?.changes === 0 ? origin(made, values, depth + 1) : inner;
}

function isEmptyFunction(node: SyntaxNode | undefined): boolean {
  const inner = bare(node);
  const body = isFunction(inner) ? child(inner, "body") : undefined;
  return body?.type === "BlockStatement" ? list(body, "body").length === 0 : body?.type === "Literal";
}

function hasTypes(node: SyntaxNode): boolean {
  for (let at: SyntaxNode | undefined = node; at !== undefined; ) {
    if (child(at, "typeArguments") !== undefined) return true;
    at = child(at, at.type === "CallExpression" ? "callee" : "object");
  }
  return false;
}

/** The matchers that a file replaces: `expect.extend({ toBe: … })` says from then on itself what passes. */
export function replacedMatchers(program: SyntaxNode, values: RunnerValues): ReadonlySet<string> {
  const names = [...nodesOf(program)].flatMap((node) => {
    const callee = node.type === "CallExpression" ? bare(child(node, "callee")) : undefined;
    const isExtend = callee?.type === "MemberExpression" && values.keyOf(callee) === "extend";
    const given = isExtend && values.of(callee).kind === "expect" ? values.of(list(node, "arguments")[0]) : undefined;
    if (given?.kind !== "object") return [];
    return list(given.node, "properties").map((each) => (each.type === "Property" ? values.keyOf(each) : undefined));
  });
  return new Set(names.filter((name) => name !== undefined));
}
