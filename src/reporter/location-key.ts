/** What tells a test from another one where its failing line is looked up. */
export function locationKey(testPath: string, test: string): string {
  return `${testPath}\n${test}`;
}
