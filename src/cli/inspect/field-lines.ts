/** Names and what they hold, one a line; what is undefined is left out. */
export function fieldLines(fields: readonly (readonly [name: string, value: string | undefined])[]): string[] {
  return fields.flatMap(([name, value]) => (value === undefined ? [] : `${name.padEnd(12)}${value}`));
}

/** A title with the number of lines below it, which are indented. */
export function sectionLines(title: string, lines: readonly string[]): string[] {
  return [title.padEnd(12) + (lines.length === 0 ? "none" : String(lines.length)), ...lines.map((line) => `  ${line}`)];
}
