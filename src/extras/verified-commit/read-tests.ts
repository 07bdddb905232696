import { posix } from "node:path";
import { type Result, ok } from "../../kernel/result.ts";
import { type SyntaxNode, bare, child, isFunction, list, nodesOf, parseSource, word } from "../../cli/init/syntax.ts";
import { type Assertion, AssertionReader, foldedText } from "./read-assertions.ts";
import type { MarkKind, Value } from "./runner-words.ts";
import { RunnerValues } from "./runner-values.ts";

/** A test or a group that is marked not to count. */
export interface TestMark {
  readonly kind: MarkKind;
  readonly title: string;
  readonly offset: number;
  /** Why, where no word of the runner says so: it is never reached, or only under conditions of the file. */
  readonly because: "marked" | "never" | readonly string[];
}

/** A test with what it asserts. */
export interface TestCase {
  /** Its title as it stands in the source. */
  readonly title: string;
  readonly offset: number;
  readonly end: number;
  /** `unknown` where the test is a function of another file. */
  readonly body: "empty" | "code" | "unknown";
  readonly assertions: readonly Assertion[];
  /** All of it, folded: equal for a test that only moved. */
  readonly source: string;
}

/** An assertion with the title of the test it stands in; empty outside of any. */
export interface PlacedAssertion extends Assertion {
  readonly title: string;
}

/** What a test file holds. */
export interface TestSource {
  readonly text: string;
  readonly tests: readonly TestCase[];
  readonly marks: readonly TestMark[];
  /** Every assertion, also those of helpers outside of any test. */
  readonly assertions: readonly PlacedAssertion[];
}

/**
 * Reads the tests of a JavaScript or TypeScript source, as Vitest, Jest and node:test know them; nothing is run.
 * `helpers` are names of imported functions that assert. The error is what the parser says of a file it cannot read.
 */
export function readTests(text: string, path: string, helpers: ReadonlySet<string>): Result<TestSource, string> {
  const tree = parseSource(text, path);
  if (!tree.ok) return tree;
  const values = new RunnerValues(tree.value);
  return ok(new TestReader(values, new AssertionReader(values, helpers)).read());
}

/**
 * The names, as the file has them, of functions that it imports from the project's own helpers of tests and that
 * assert there; with the names of their methods. `load` gives a file's text by its path, undefined where there is none.
 */
export async function assertingImports(
  text: string,
  path: string,
  load: (path: string) => Promise<string | undefined>,
): Promise<ReadonlySet<string>> {
  const tree = parseSource(text, path);
  const names = new Set<string>();
  if (!tree.ok) return names;
  for (const each of list(tree.value.program, "body").filter(({ type }) => type === "ImportDeclaration")) {
    const module = word(child(each, "source"), "value") ?? "";
    if (!module.startsWith(".")) continue;
    const locals = new Map(
      list(each, "specifiers").map((one) => [word(child(one, "imported"), "name"), word(child(one, "local"), "name")]),
    );
    for (const name of await helpersIn(posix.join(posix.dirname(path), module), load))
      names.add(locals.get(name) ?? name);
  }
  return names;
}

/** Product code asserts too, to itself: a module counts that speaks of tests. */
const SUPPORT = /test|spec|helper|fixture|harness|support|assert|expect/i;

async function helpersIn(
  base: string,
  load: (path: string) => Promise<string | undefined>,
): Promise<ReadonlySet<string>> {
  const plain = base.replace(/\.[cm]?jsx?$/, "");
  const candidates = [
    base,
    ...["ts", "tsx", "mts", "js", "mjs", "cjs", "jsx"].flatMap((end) => [`${plain}.${end}`, `${base}/index.${end}`]),
  ];
  for (const path of candidates) {
    const text = /\.[cm]?[jt]sx?$/.test(path) ? await load(path) : undefined;
    if (text === undefined) continue;
    const tree = SUPPORT.test(path) || /\bexpect\s*\(/.test(text) ? parseSource(text, path) : undefined;
    return tree?.ok === true ? new AssertionReader(new RunnerValues(tree.value), new Set()).helperNames() : new Set();
  }
  return new Set();
}

/** A call that defines a test or a group. */
interface Definition {
  readonly node: SyntaxNode;
  readonly isGroup: boolean;
  readonly marks: readonly MarkKind[];
  readonly args: readonly SyntaxNode[];
  readonly isSure: boolean;
}

class TestReader {
  readonly #values: RunnerValues;
  readonly #assertions: AssertionReader;

  constructor(values: RunnerValues, assertions: AssertionReader) {
    this.#values = values;
    this.#assertions = assertions;
  }

  read(): TestSource {
    const { tree } = this.#values;
    const definitions = [...nodesOf(tree.program)].flatMap((node) => this.#definition(node));
    const found = definitions.map((definition) => this.#one(definition));
    const tests = found.flatMap(({ test }) => (test === undefined ? [] : [test]));
    return {
      text: tree.text,
      tests,
      marks: [...found.flatMap(({ marks }) => marks), ...this.#hookMarks()],
      assertions: this.#placed(tests),
    };
  }

  /** Those of a test inside of another one are the inner one's; a test that never runs keeps its own. */
  #placed(tests: readonly TestCase[]): readonly PlacedAssertion[] {
    const placed = new Map<number, PlacedAssertion>();
    for (const each of this.#assertions.in(undefined))
      if (!tests.some(({ offset, end }) => offset <= each.offset && each.offset < end))
        placed.set(each.offset, { ...each, title: "" });
    for (const { title, assertions } of tests)
      for (const each of assertions) placed.set(each.offset, { ...each, title });
    return [...placed.values()].filter(({ isSoft }) => !isSoft).toSorted((one, other) => one.offset - other.offset);
  }

  #definition(node: SyntaxNode): readonly Definition[] {
    if (node.type !== "CallExpression") return [];
    const callee = this.#values.of(child(node, "callee"));
    const args = list(node, "arguments");
    if (callee.kind === "indirect")
      return callee.how === "bind" ? [] : this.#defined(callee.runner, node, passed(args, callee.how));
    const target = this.#reflected(node);
    return target === undefined
      ? this.#defined(callee, node, args)
      : this.#defined(this.#values.of(target), node, passed(args.slice(1), "apply"));
  }

  #defined(callee: Value, node: SyntaxNode, args: readonly SyntaxNode[]): readonly Definition[] {
    if (callee.kind !== "runner" || callee.pending !== undefined || callee.role === "hook") return [];
    const { marks, isSure, role } = callee;
    // Something else may be called test: it is one where it is given what a test is given.
    if (!isSure && !(args.length > 1 && this.#run(args) !== undefined)) return [];
    return [{ node, isGroup: role === "group", marks, args, isSure }];
  }

  /** What `Reflect.apply(test.skip, …)` calls. */
  #reflected(node: SyntaxNode): SyntaxNode | undefined {
    const callee = bare(child(node, "callee"));
    const isReflect =
      word(child(callee, "object"), "name") === "Reflect" && word(child(callee, "property"), "name") === "apply";
    return isReflect ? list(node, "arguments")[0] : undefined;
  }

  #one({ node, isGroup, marks, args, isSure }: Definition): {
    readonly test: TestCase | undefined;
    readonly marks: readonly TestMark[];
  } {
    const title = args[0] === undefined ? "" : foldedText(this.#values.tree, args[0]);
    const run = this.#run(args);
    const kinds = new Set<MarkKind>([...marks, ...args.flatMap((arg) => this.#optionMarks(arg))]);
    if (!isGroup && isSure && kinds.size === 0 && this.#isPlanned(args)) kinds.add("todo");
    const isTodo = kinds.has("todo");
    if (!isGroup && run !== undefined) for (const kind of this.#ownMarks(run)) kinds.add(kind);
    const mark = (kind: MarkKind, because: TestMark["because"]): TestMark => ({
      kind,
      title,
      offset: node.start,
      because,
    });
    const standing = this.#assertions.live.standing(node, undefined);
    const guards = standing.guards
      .filter((guard) => this.#isOfFile(guard))
      .map((guard) => foldedText(this.#values.tree, guard));
    return {
      test: isGroup || isTodo ? undefined : this.#case(node, title, run),
      marks: [
        ...[...kinds].map((kind) => mark(kind, "marked")),
        ...(standing.isReached ? [] : [mark("skipped", "never")]),

        ...(guards.length === 0 ? [] : [mark("conditional", guards)]),
      ],
    };
  }

  /** Whether a condition asks for nothing that a loop or a function around it hands in. */
  #isOfFile(guard: SyntaxNode): boolean {
    return [...nodesOf(guard)].every((node) => {
      const binding = node.type === "Identifier" ? this.#values.scopes.bindingOf(node) : undefined;
      return (
        binding === undefined || binding.kind === "import" || (binding.kind === "variable" && binding.changes === 0)
      );
    });
  }

  /** The function of a test: what is written there, or a name. */
  #run(args: readonly SyntaxNode[]): SyntaxNode | undefined {
    return args.findLast((arg) => this.#values.of(arg).kind === "function");
  }

  /** A title alone is a test that is still to be written. */
  #isPlanned(args: readonly SyntaxNode[]): boolean {
    const [title, second] = args.map((arg) => this.#values.of(arg));
    const isNothing = second?.kind === "constant" && (second.value ?? undefined) === undefined;
    return title?.kind === "constant" && typeof title.value === "string" && (args.length === 1 || isNothing);
  }

  /** An object of options: `{ skip: true }`. A value that is plainly false marks nothing. */
  #optionMarks(arg: SyntaxNode): readonly MarkKind[] {
    const options = this.#values.of(arg);
    if (options.kind !== "object") return [];
    const kinds = {
      skip: "skipped",
      only: "focused",
      todo: "todo",
      fails: "expected-to-fail",
      expectFailure: "expected-to-fail",
    } as const;
    return (["skip", "only", "todo", "fails", "expectFailure"] as const).flatMap((option) => {
      const value = this.#values.property(options.node, option);
      return value === undefined || this.#values.truth(value) === false ? [] : [kinds[option]];
    });
  }

  /** A test that marks itself while it runs: `context.skip()`, `t.todo()`, or `skip()` taken from the context. */
  #ownMarks(run: SyntaxNode): readonly MarkKind[] {
    const value = this.#values.of(run);
    return value.kind === "function" ? this.#marksIn(value.node) : [];
  }

  #marksIn(run: SyntaxNode): readonly MarkKind[] {
    return [...nodesOf(run)].flatMap((node): readonly MarkKind[] => {
      const value = node.type === "CallExpression" ? this.#values.of(child(node, "callee")) : undefined;
      if (value?.kind !== "mark") return [];
      const { isReached, guards } = this.#assertions.live.standing(node, run);
      if (!isReached) return [];
      return guards.length > 0 ? ["conditional"] : [value.mark];
    });
  }

  /** A hook that marks the tests around it while they run. */
  #hookMarks(): readonly TestMark[] {
    return [...nodesOf(this.#values.tree.program)].flatMap((node) => {
      const callee = node.type === "CallExpression" ? this.#values.of(child(node, "callee")) : undefined;
      const [run] = list(node, "arguments");
      if (callee?.kind !== "runner" || callee.role !== "hook" || run === undefined) return [];
      const title = foldedText(this.#values.tree, { ...node, end: child(node, "callee")?.end ?? node.end });
      return this.#ownMarks(run).map((kind): TestMark => ({ kind, title, offset: node.start, because: "marked" }));
    });
  }

  #case({ start, end }: SyntaxNode, title: string, run: SyntaxNode | undefined): TestCase {
    const value = this.#values.of(run);
    const source = foldedText(this.#values.tree, { type: "", start, end });
    if (run === undefined || value.kind !== "function")
      return { title, offset: start, end, body: "unknown", assertions: [], source };
    const isEmpty = this.#isEmpty(value.node);
    // A generator that a runner calls runs nothing of its body.
    const isIdle = isEmpty || value.node["generator"] === true;
    return {
      title,
      offset: start,
      end,
      body: isEmpty ? "empty" : "code",
      assertions: isIdle ? [] : this.#assertions.in(value.node),
      source,
    };
  }

  #isEmpty(run: SyntaxNode): boolean {
    const body = child(run, "body");
    if (body?.type !== "BlockStatement") {
      const value = this.#values.of(body);
      return (value.kind === "constant" || value.kind === "object") && !isFunction(body);
    }
    const [first] = list(body, "body").filter(({ type }) => type !== "EmptyStatement" && type !== "DebuggerStatement");
    return first === undefined || (first.type === "ReturnStatement" && child(first, "argument") === undefined);
  }
}

/** The arguments that `call` and `apply` hand on; those of a list that is not written there are not known. */
function passed(args: readonly SyntaxNode[], how: string): readonly SyntaxNode[] {
  return how === "call" ? args.slice(1) : list(bare(args[1]), "elements");
}
