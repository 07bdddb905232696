import { diffLinesUnified2 } from "jest-diff";
import { type NewPlugin, format } from "pretty-format";
import { isPlainObject, typeName } from "./json/plain-data.ts";
import { oneLine } from "./printed.ts";
import { escapeText } from "./text.ts";

// The build makes a separate file of this module, which is loaded at the first call: see BUNDLED_PACKAGES in
// scripts/build/lazy-parts.ts. A passing test loads neither package.

/** Depth to which a value is printed, and number of entries of each collection. */
const BOUNDS = { maxDepth: 6, maxWidth: 50 } as const;

/**
 * Prints a value that isn't plain JSON on one line, as the runners do: `Map {"a" => 1}`, `[Error: no]`,
 * `Point {"x": 1}`. Terminal-safe. Runs no `toJSON` of the value. Never throws. If `isComplete` is true, prints all
 * entries at any depth, and the fields of errors.
 */
export function prettyValue(value: unknown, isComplete: boolean = false): string {
  try {
    const extent = isComplete ? { plugins: [ERROR_FIELDS] } : BOUNDS;
    const text = format(value, { ...extent, min: true, callToJSON: false });
    // On one line, pretty-format leaves out the name of a class.
    const isNameless = ArrayBuffer.isView(value) || (text.startsWith("{") && !isPlainObject(value));
    return oneLine(isNameless ? `${typeName(value)} ${text}` : text);
  } catch {
    // A getter that throws, or a revoked proxy.
    return `[${typeName(value)}]`;
  }
}

/** Prints an error with its own fields, such as `cause` and the `errors` of an AggregateError. */
const ERROR_FIELDS: NewPlugin = {
  test: (value: unknown) => value instanceof Error,
  serialize: (error: Error, ...[config, indentation, depth, refs, printer]) => {
    if (refs.includes(error)) return "[Circular]";
    const {
      message: _message,
      stack: _stack,
      ...fields
    } = Object.fromEntries(
      Object.getOwnPropertyNames(error).map((name): [string, unknown] => [name, Reflect.get(error, name)]),
    );
    const printed = printer(fields, config, indentation, depth, [...refs, error]);
    return printed === "{}" ? `[${String(error)}]` : `[${String(error)} ${printed}]`;
  },
};

const CONTEXT = 2;

/**
 * Returns the rows of a unified diff of two texts, given by their lines: `- old`, `+ new`, `  same`, and
 * `@@ -1,3 +1,3 @@` before each hunk if lines are left out. Takes the longer, the more the texts differ.
 */
export function unifiedRows(before: readonly string[], after: readonly string[]): string[] {
  const options = { ...PLAIN, contextLines: CONTEXT, expand: false };
  const escape = escapeOf([...before, ...after]);
  const [old, current] = [before.map(escape), after.map(escape)];
  // Escaped here, because jest-diff has other escapes; compared unescaped, so that a character and its escape differ.
  return diffLinesUnified2(old, current, [...before], [...after], options).split("\n");
}

/** Returns the escape of lines: with another backslash for each, if one line has the escape that another one gets. */
function escapeOf(lines: readonly string[]): (line: string) => string {
  const safe = new Map(lines.map((line) => [line, escapeText(line)]));
  const collide = new Set(safe.values()).size < safe.size;
  return collide ? (line) => escapeText(line.replaceAll("\\", "\\\\")) : (line) => safe.get(line) ?? escapeText(line);
}

function plain(text: string): string {
  return text;
}

/** No colours: they are added when a line is rendered, after its text is escaped. */
const PLAIN = {
  aColor: plain,
  bColor: plain,
  changeColor: plain,
  changeLineTrailingSpaceColor: plain,
  commonColor: plain,
  commonLineTrailingSpaceColor: plain,
  patchColor: plain,
  emptyFirstOrLastLinePlaceholder: "",
  omitAnnotationLines: true,
} as const;
