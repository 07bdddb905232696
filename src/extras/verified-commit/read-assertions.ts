import {
  type SyntaxNode,
  type SyntaxTree,
  bare,
  child,
  isFunction,
  list,
  nodesOf,
  word,
} from "../../cli/init/syntax.ts";
import { LiveCode } from "./live-code.ts";
import { type AssertingCall, isVacuous, replacedMatchers } from "./vacuous.ts";
import type { RunnerValues } from "./runner-values.ts";

/** One assertion of a test file that can run and fail. */
export interface Assertion {
  /** Its source without comments, blanks folded, so that a moved or re-indented one stays equal. */
  readonly text: string;
  readonly offset: number;
  /** The conditions it stands under in its test, folded too. */
  readonly guards: readonly string[];
  /** Whether it only throws, or calls what does: enough for a test to be one, and no assertion that could be missed. */
  readonly isSoft: boolean;
}

const NAMED = /^(?:(?:expect|assert|verify|check|should|ensure)[A-Z_]\w*|should|check|verify|ensure)$/;
const LATER = /^(?:resolves|rejects|eventually)$/;
const POLLS: ReadonlySet<string> = new Set(["poll", "element"]);

/** Finds what asserts in a test file; what cannot fail, is never reached or is never heard of is left out. */
export class AssertionReader {
  readonly #values: RunnerValues;
  readonly #calls: readonly AssertingCall[];
  readonly live: LiveCode;

  /** `helpers` are names of imported functions, and of methods of what is imported, whose call asserts. */
  constructor(values: RunnerValues, helpers: ReadonlySet<string>) {
    this.#values = values;
    const direct = [...nodesOf(values.tree.program)].flatMap((node) => this.#callAt(node, helpers));
    const replaced = replacedMatchers(values.tree.program, values);
    const able = direct.filter((call) => !isVacuous(call, values, replaced));
    this.live = new LiveCode(values, new Set(able.map(({ node }) => node)));
    this.#calls = this.#withHelpers(able);
  }

  /** The names of functions and methods of the file that assert. */
  helperNames(): ReadonlySet<string> {
    const functions = [...nodesOf(this.#values.tree.program)].filter(isFunction);
    const asserting = functions.filter((each) =>
      this.#calls.some((call) => !/^(?:throw|soft-helper)$/.test(call.form) && this.#countsIn(call, each)),
    );
    const names = asserting.map((node) =>
      word(child(node.type === "FunctionDeclaration" ? node : this.#values.scopes.parentOf(node), "id"), "name"),
    );
    return new Set([...names.filter((name) => name !== undefined), ...this.#methodNames(new Set(asserting))]);
  }

  /** The assertions of a function, or of the whole file. */
  in(boundary: SyntaxNode | undefined): readonly Assertion[] {
    const home = boundary ?? this.#values.tree.program;
    return this.#calls
      .filter(({ node }) => home.start <= node.start && node.end <= home.end)
      .flatMap((call) => this.#heard(call, boundary));
  }

  #heard(call: AssertingCall, boundary: SyntaxNode | undefined): readonly Assertion[] {
    const { isReached, isHeard, guards } = this.live.standing(call.node, boundary);
    if (!isReached || !isHeard || (this.#isLater(call) && !this.live.isAwaited(call.node))) return [];
    // What throws in any case is no assertion, and what a callback throws may be what a test is about.
    if (call.form === "throw" && !this.#isAnswer(call.node, boundary, guards.length)) return [];
    const isSoft = call.form === "throw" || call.form === "soft-helper";
    const text = foldedText(this.#values.tree, call.node);
    const written = guards.map((guard) => foldedText(this.#values.tree, guard));
    return [{ text, offset: call.node.start, guards: written, isSoft }];
  }

  #isAnswer(node: SyntaxNode, boundary: SyntaxNode | undefined, guards: number): boolean {
    return guards > 0 && boundary !== undefined && this.live.functionAround(node) === boundary;
  }

  /** Whether it fails by a promise only. */
  #isLater({ node, form, members }: AssertingCall): boolean {
    if (form === "expect") return members.some((member) => LATER.test(member)) || POLLS.has(this.#expectMember(node));
    const callee = bare(child(node, "callee"));
    const value = this.#values.of(callee);
    if (form === "assert") return value.kind === "assert" && /^(?:rejects|doesNotReject)$/.test(value.member);
    return form.endsWith("helper") && value.kind === "function" && value.node["async"] === true;
  }

  #expectMember(node: SyntaxNode): string {
    let at: SyntaxNode | undefined = node;
    while (
      at !== undefined &&
      !(at.type === "CallExpression" && this.#values.of(child(at, "callee")).kind === "expect")
    )
      at = bare(child(at, at.type === "CallExpression" ? "callee" : "object"));
    const callee = bare(child(at, "callee"));
    return callee?.type === "MemberExpression" ? (this.#values.keyOf(callee) ?? "") : "";
  }

  #callAt(node: SyntaxNode, helpers: ReadonlySet<string>): readonly AssertingCall[] {
    if (node.type === "ThrowStatement")
      return [{ node, form: "throw", subjects: [], members: [], expected: undefined }];
    if (node.type === "MemberExpression" && this.#values.keyOf(node) === "should")
      return [{ ...this.#chain(node), form: "should", subjects: [] }];
    if (node.type !== "CallExpression") return [];
    const callee = bare(child(node, "callee"));
    if (callee === undefined) return [];
    const subjects = list(node, "arguments");
    const key = callee.type === "MemberExpression" ? this.#values.keyOf(callee) : undefined;
    const value = this.#values.of(callee);
    if (value.kind === "expect") {
      if (key === "fail" || key === "unreachable") return [{ ...this.#whole(node), form: "named", subjects }];
      const isSubject =
        callee.type === "Identifier" || key === "soft" || key === undefined || POLLS.has(key) || key === "expect";
      return isSubject ? [{ ...this.#chain(node), form: "expect", subjects }] : [];
    }
    if (value.kind === "assert") return [{ ...this.#whole(node), form: "assert", subjects }];
    const name = key ?? word(callee, "name") ?? "";
    if (value.kind === "function") return [];
    const isNamed = NAMED.test(name) || helpers.has(name) || (key !== undefined && /^(?:expect|assert)$/.test(key));
    return isNamed && value.kind === "unknown" ? [{ ...this.#whole(node), form: "named", subjects }] : [];
  }

  #whole(node: SyntaxNode): Pick<AssertingCall, "node" | "members" | "expected"> {
    return { ...this.#chain(node), expected: undefined };
  }

  /** Follows members and calls from a node on to the end of its chain. */
  #chain(from: SyntaxNode): Pick<AssertingCall, "node" | "members" | "expected"> {
    const members: string[] = [];
    let expected: readonly SyntaxNode[] | undefined;
    let node = from;
    for (;;) {
      const parent = this.#values.scopes.parentOf(node);
      const key = parent?.type === "MemberExpression" ? this.#values.keyOf(parent) : undefined;
      // What comes behind is about the promise of it.
      if (key === "then" || key === "catch" || key === "finally") return { node, members, expected };
      if (parent?.type === "MemberExpression" && child(parent, "object") === node) {
        members.push(key ?? "");
        expected = undefined;
      } else if (parent?.type === "CallExpression" && child(parent, "callee") === node) {
        expected = list(parent, "arguments");
      } else if (
        parent === undefined ||
        !/^(?:ChainExpression|TSNonNullExpression|ParenthesizedExpression)$/.test(parent.type)
      )
        return { node, members, expected };
      node = parent;
    }
  }

  /** Adds the calls of functions of the file that assert, or throw, directly or through each other. */
  #withHelpers(direct: readonly AssertingCall[]): readonly AssertingCall[] {
    const hard = this.#helped(
      direct.filter(({ form }) => form !== "throw"),
      "helper",
    );
    const all = this.#helped([...hard, ...direct.filter(({ form }) => form === "throw")], "soft-helper");
    return all.toSorted((one, other) => one.node.start - other.node.start);
  }

  #helped(known: readonly AssertingCall[], form: "helper" | "soft-helper"): readonly AssertingCall[] {
    const nodes = [...nodesOf(this.#values.tree.program)];
    const functions = nodes.filter(isFunction);
    const taken = new Set(known.map(({ node }) => node));
    const calls = nodes.filter((node) => node.type === "CallExpression" && !taken.has(node));
    const asserting = new Set<SyntaxNode>();
    let found = known;
    for (let before = -1; before < asserting.size; ) {
      before = asserting.size;
      for (const each of functions) if (found.some((call) => this.#countsIn(call, each))) asserting.add(each);
      const names = this.#methodNames(asserting);
      const helped = calls.filter((call) => this.#callsHelper(call, asserting, names));
      found = [
        ...known,
        ...helped.map((node): AssertingCall => ({ node, form, subjects: [], members: [], expected: undefined })),
      ];
    }
    return found;
  }

  #countsIn({ node, form }: AssertingCall, home: SyntaxNode): boolean {
    if (node.start < home.start || home.end < node.end) return false;
    const { isReached, isHeard, guards } = this.live.standing(node, home);
    return isReached && isHeard && (form !== "throw" || this.#isAnswer(node, home, guards.length));
  }

  #callsHelper(call: SyntaxNode, asserting: ReadonlySet<SyntaxNode>, methods: ReadonlySet<string>): boolean {
    const callee = bare(child(call, "callee"));
    const value = this.#values.of(callee);
    if (value.kind === "function") return asserting.has(value.node) && value.node !== callee;
    return (
      callee?.type === "MemberExpression" && value.kind === "unknown" && methods.has(this.#values.keyOf(callee) ?? "")
    );
  }

  /** Names of methods of the file's classes and objects that assert. */
  #methodNames(asserting: ReadonlySet<SyntaxNode>): ReadonlySet<string> {
    const names = [...asserting].map((node) => {
      const parent = this.#values.scopes.parentOf(node);
      return parent !== undefined && /^(?:MethodDefinition|Property|PropertyDefinition)$/.test(parent.type)
        ? word(child(parent, "key"), "name")
        : undefined;
    });
    return new Set(names.filter((name) => name !== undefined));
  }
}

/** The text of a node without its comments, blanks folded. */
export function foldedText({ text, comments }: SyntaxTree, { start, end }: SyntaxNode): string {
  let result = "";
  let at = start;
  for (const comment of comments) {
    if (comment.start < at || comment.end > end) continue;
    result += `${text.slice(at, comment.start)} `;
    at = comment.end;
  }
  return fold(result + text.slice(at, end));
}

function fold(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([().,;:{}[\]]) ?/g, "$1")
    .replaceAll(/,([)\]}])/g, "$1")
    .trim();
}
