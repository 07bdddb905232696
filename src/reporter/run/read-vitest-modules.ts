import { META_NAME } from "../../explain/append-run-log.ts";
import { type DrainedLog, readLog } from "./run-log.ts";
import { lineInStack } from "../../kernel/stack-locations.ts";
import { locationKey } from "../run-report.ts";

/** Part of a test that the reporter uses. It is the same in Vitest 3.2 to 5. */
export interface RanTest {
  readonly name: string;
  readonly parent: { readonly type: string; readonly name?: string; readonly parent?: RanTest["parent"] };
  result(): { readonly state: string; readonly errors?: readonly RanError[] | undefined };
}

/** Error of a test. Its stack is a string in Vitest 3. */
interface RanError {
  readonly stack?: string | undefined;
  readonly stacks?: readonly { readonly file: string; readonly line: number }[];
}

/** Part of a test module that the reporter uses. */
export interface RanModule {
  readonly moduleId: string;
  readonly project?: { readonly name: string };
  state(): string;
  meta?(): object;
  /** Location of `meta` in Vitest 3, before Vitest 4. */
  readonly task?: { readonly meta?: object };
  readonly children: { allTests(): Iterable<RanTest> };
}

/** Logs that came with the test files, and the number of unreadable ones. */
export function logsInMeta(modules: readonly RanModule[]): DrainedLog {
  return readLog(modules.map(logLineOf).filter((line) => line !== undefined));
}

function logLineOf(module: RanModule): string | undefined {
  const line: unknown = Reflect.get(module.meta?.() ?? module.task?.meta ?? {}, META_NAME);
  return typeof line === "string" ? line : undefined;
}

/** The line in its test file each failing test failed at. */
export function failingLines(modules: readonly RanModule[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const { moduleId, children } of modules) {
    for (const test of children.allTests()) {
      const [line] = (test.result().errors ?? []).flatMap((error) => lineOf(error, moduleId) ?? []);
      if (line !== undefined) lines.set(locationKey(moduleId, titlesOf(test)), line);
    }
  }
  return lines;
}

function lineOf({ stack = "", stacks }: RanError, moduleId: string): number | undefined {
  return stacks === undefined ? lineInStack(stack, moduleId) : stacks.find(({ file }) => file === moduleId)?.line;
}

/** Name of a test as in the matchers: its titles joined by spaces, without the file. */
function titlesOf({ name, parent }: RanTest): string {
  const titles = [name];
  for (
    let suite: RanTest["parent"] | undefined = parent;
    suite !== undefined && suite.type === "suite";
    suite = suite.parent
  ) {
    if (suite.name !== undefined && suite.name !== "") titles.unshift(suite.name);
  }
  return titles.join(" ");
}
