/**
 * The types of the configuration and of the matchers for a reader: each option with its type and its comment. Read by
 * the compiler, so that inherited options are included and every reported one exists.
 */
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** One option, or one key of a configuration. */
export interface Option {
  /** Its name; for an option inside of another, with a dot: `policy.agents`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** The comment above its declaration, on one line; empty if there is none. */
  readonly comment: string;
}

/** The options of one matcher. */
export interface MatcherOptions {
  readonly matcher: string;
  /** Value given to `expect`, if its options depend on that. */
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
  MatchStepOptions: "a step or workflow",
  MatchValueOptions: "a result or value",
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
      // The last of several forms is the general one.
      const form = this.#checker.getTypeOfSymbol(matcher).getCallSignatures().at(-1);
      const options = form === undefined ? undefined : this.#optionsOf(form);
      return options === undefined ? [] : this.#choices(matcher.name, options);
    });
  }

  /** Type of the parameter `options`, or of a derived signature's last argument whose type is named so. */
  #optionsOf({ parameters }: ts.Signature): ts.Type | undefined {
    const typeOf = (symbol: ts.Symbol): ts.Type =>
      this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(symbol));
    const named = parameters.find(({ name }) => name === "options");
    if (named !== undefined) return typeOf(named);
    const given = parameters.flatMap((parameter) => this.#checker.getPropertiesOfType(typeOf(parameter)));
    return given.map(typeOf).find(({ symbol }) => (symbol?.name ?? "").endsWith("Options"));
  }

  #choices(matcher: string, type: ts.Type): MatcherOptions[] {
    const choices = type.isUnion() ? type.types : [type];
    const named = choices.map(({ symbol }) => OF[symbol?.name ?? ""]);
    if (choices.length > 1 && named.every((of) => of !== undefined))
      return choices.map((choice, at) => ({ matcher, of: named[at] ?? "", options: this.#options([choice]) }));
    return [{ matcher, options: this.#options(choices) }];
  }

  #options(choices: readonly ts.Type[]): readonly Option[] {
    const byName = new Map<string, Option>();
    for (const choice of choices)
      for (const option of this.#checker.getPropertiesOfType(choice)) {
        const read = this.#option(option, "");
        if (read.type === "never") continue;
        const everywhere = choices.every((other) => isRequired(other.getProperty(option.name)));
        if (!byName.has(option.name)) byName.set(option.name, { ...read, required: everywhere });
      }
    return [...byName.values()];
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
    const comment = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).replaceAll(/\s+/g, " ");
    const type = declared !== undefined && ts.isPropertySignature(declared) ? this.#typeText(declared.type) : "";
    return { name: above + symbol.name, type, required: isRequired(symbol), comment };
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
    const declaration = source?.statements.find(
      (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
    );
    if (declaration === undefined) throw new Error(`${file} declares no interface ${name}.`);
    return this.#checker.getTypeAtLocation(declaration);
  }
}

function isRequired(symbol: ts.Symbol | undefined): boolean {
  return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Optional) === 0;
}
