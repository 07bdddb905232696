import type { BodyLine, Tone } from "./body-line.ts";

const CODES: Readonly<Record<Tone, number | undefined>> = {
  plain: undefined,
  strong: 1,
  faint: 2,
  added: 32,
  removed: 31,
  changed: 33,
};

/** A line as a terminal draws it. */
export function paint({ text, tone }: BodyLine, colour: boolean): string {
  const code = CODES[tone];
  return colour && code !== undefined && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
}
