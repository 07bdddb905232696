/** What tells a test from another one where its failing line is looked up. */
export function locationKey(testPath: string, test: string): string {
  return `${testPath}\n${test}`;
}

/** The line at which a stack first goes through a file; undefined where it does not. */
export function lineInStack(stack: string, path: string): number | undefined {
  const start = stack.indexOf(`${path}:`);
  const digits = start === -1 ? undefined : /^\d+/.exec(stack.slice(start + path.length + 1))?.[0];
  return digits === undefined ? undefined : Number(digits);
}
