import { META_NAME, type TestFileLog } from "./append-run-log.ts";
import { readLogLine } from "./run-log.ts";
import { locationKey } from "./location-key.ts";

/** The part of a test a reporter uses, the same in Vitest 3.2 to 5. */
export interface RanTest {
  readonly name: string;
  readonly parent: { readonly type: string; readonly name?: string; readonly parent?: RanTest["parent"] };
  result(): { readonly state: string; readonly errors?: readonly { readonly stacks?: readonly { readonly file: string; readonly line: number }[] }[] | undefined };
}

/** The part of a test module a reporter uses. */
export interface RanModule {
  readonly moduleId: string;
  state(): string;
  meta?(): object;
  readonly children: { allTests(): Iterable<RanTest> };
}

/** The logs that came with the test files, and how many could not be read. */
export function travelledLogs(modules: readonly RanModule[]): { readonly logs: readonly TestFileLog[]; readonly lost: number } {
  const lines = modules.map(logLineOf).filter((line) => line !== undefined);
  const logs = lines.map(readLogLine).filter((log) => log !== undefined);
  return { logs, lost: lines.length - logs.length };
}

function logLineOf(module: RanModule): string | undefined {
  const line: unknown = Reflect.get(module.meta?.() ?? {}, META_NAME);
  return typeof line === "string" ? line : undefined;
}

/** The line in its test file each failing test failed at. */
export function failingLines(modules: readonly RanModule[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const { moduleId, children } of modules) {
    for (const test of children.allTests()) {
      const frames = (test.result().errors ?? []).flatMap(({ stacks = [] }) => stacks);
      const frame = frames.find(({ file }) => file === moduleId);
      if (frame !== undefined) lines.set(locationKey(moduleId, titlesOf(test)), frame.line);
    }
  }
  return lines;
}

/** As the matchers name a test: its titles joined by blanks, without the file. */
function titlesOf({ name, parent }: RanTest): string {
  const titles = [name];
  for (let suite: RanTest["parent"] | undefined = parent; suite !== undefined && suite.type === "suite"; suite = suite.parent) {
    if (suite.name !== undefined && suite.name !== "") titles.unshift(suite.name);
  }
  return titles.join(" ");
}
