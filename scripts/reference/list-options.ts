/**
 * What the types of the configuration and of the matchers say to a reader: each option with its type and its comment.
 * Read by the compiler, so that inherited options are there and none is told that does not exist.
 */
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** One option, or one key of a configuration. */
export interface Option {
  /** Its name; for what lies inside of another, with a dot: `policy.agents`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** The comment above its declaration, on one line; empty where there is none. */
  readonly says: string;
}

/** The options of one matcher. */
export interface MatcherOptions {
  readonly matcher: string;
  /** What it is given to `expect`, where its options depend on that. */
  readonly of?: string;
  readonly options: readonly Option[];
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONFIG = "src/config/config.ts";
const MATCHERS = "src/matcher-types.ts";
const ENVIRONMENT = "src/kernel/environment.ts";

/** Interfaces that are a part of the configuration, and are listed with its keys. */
const IS_PART = /^(?:\w+)Config$/;
/** Options of a matcher whose type is a choice: what each of them is for. */
const OF: Readonly<Record<string, string>> = {
  MatchStepOptions: "a step or a workflow",
  MatchValueOptions: "a result or a value",
};

/** The types of the project, as far as these lists need them. */
export class Types {
  readonly #checker: ts.TypeChecker;
  readonly #program: ts.Program;

  /** Reads the sources; a second or two. */
  constructor() {
    const read = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path));
    const config: unknown = read.config;
    const { options } = ts.parseJsonConfigFileContent({ ...Object(config), include: [], files: [] }, ts.sys, ROOT);
    this.#program = ts.createProgram(
      [CONFIG, MATCHERS, ENVIRONMENT].map((file) => ROOT + file),
      options,
    );
    this.#checker = this.#program.getTypeChecker();
  }

  /** Every key of a configuration file, those inside of others behind them. */
  configuration(): readonly Option[] {
    return this.#keys(this.#interface(CONFIG, "VeritestConfig"), "");
  }

  /** Returns the environment variables for users to set, or those of other tools. */
  variables(of: "UserVariables" | "ToolVariables"): readonly Option[] {
    return this.#keys(this.#interface(ENVIRONMENT, of), "");
  }

  /** The options of every matcher that takes some, in the order of their declaration. */
  matchers(): readonly MatcherOptions[] {
    const matchers = this.#interface(MATCHERS, "BaselineMatchers");
    return this.#checker.getPropertiesOfType(matchers).flatMap((matcher) => {
      // Of several forms the last is the general one.
      const form = matcher.declarations?.filter(ts.isMethodSignature).at(-1);
      const given = form?.parameters.find(({ name }) => name.getText() === "options");
      return given?.type === undefined
        ? []
        : this.#choices(matcher.name, this.#checker.getTypeFromTypeNode(given.type));
    });
  }

  #choices(matcher: string, type: ts.Type): MatcherOptions[] {
    const choices = type.isUnion() ? type.types : [type];
    const named = choices.map(({ symbol }) => OF[symbol?.name ?? ""]);
    if (choices.length > 1 && named.every((of) => of !== undefined))
      return choices.map((choice, at) => ({ matcher, of: named[at] ?? "", options: this.#options([choice]) }));
    return [{ matcher, options: this.#options(choices) }];
  }

  #options(choices: readonly ts.Type[]): readonly Option[] {
    const found = new Map<string, Option>();
    for (const choice of choices)
      for (const option of this.#checker.getPropertiesOfType(choice)) {
        const told = this.#option(option, "");
        if (told.type === "never") continue;
        const everywhere = choices.every((other) => isRequired(other.getProperty(option.name)));
        if (!found.has(option.name)) found.set(option.name, { ...told, required: everywhere });
      }
    return [...found.values()];
  }

  #keys(type: ts.Type, above: string): readonly Option[] {
    return this.#checker.getPropertiesOfType(type).flatMap((key) => {
      const inner = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(key));
      const option = this.#option(key, above);
      if (!IS_PART.test(inner.symbol?.name ?? "") || inner.isUnion()) return [option];
      return this.#keys(inner, `${option.name}.`);
    });
  }

  #option(symbol: ts.Symbol, above: string): Option {
    const [declared] = symbol.declarations ?? [];
    const says = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).replaceAll(/\s+/g, " ");
    const type = declared !== undefined && ts.isPropertySignature(declared) ? this.#typeText(declared.type) : "";
    return { name: above + symbol.name, type, required: isRequired(symbol), says };
  }

  /** As it is declared; a choice of texts in full. */
  #typeText(node: ts.TypeNode | undefined): string {
    if (node === undefined) return "unknown";
    const type = this.#checker.getTypeFromTypeNode(node);
    const members = type.isUnion() ? type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0) : [type];
    if (members.every((member) => member.isStringLiteral()))
      return members.map((member) => this.#checker.typeToString(member)).join(" | ");
    return node
      .getText()
      .replace(/ \| undefined$/, "")
      .replaceAll(/\breadonly /g, "")
      .replaceAll(/\s+/g, " ");
  }

  #interface(file: string, name: string): ts.Type {
    const source = this.#program.getSourceFile(ROOT + file);
    const found = source?.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
    if (found === undefined) throw new Error(`${file} declares no interface ${name}.`);
    return this.#checker.getTypeAtLocation(found);
  }
}

function isRequired(symbol: ts.Symbol | undefined): boolean {
  return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Optional) === 0;
}
