import { styleText } from "node:util";

const FORMATS = {
  plain: undefined,
  strong: "bold",
  faint: "dim",
  added: "green",
  removed: "red",
  changed: "yellow",
} as const satisfies Readonly<Record<ReviewTone, string | undefined>>;

/** A line as a terminal draws it. */
export function paint({ text, tone }: BodyLine, colour: boolean): string {
  const format = FORMATS[tone];
  if (!colour || format === undefined || text === "") return text;
  // The caller asked already whether its own stream takes colours.
  return styleText(format, text, { validateStream: false });
}

/** What a line of a screen is, which a terminal shows by its colour. */
export type ReviewTone = "plain" | "strong" | "faint" | "added" | "removed" | "changed";

/** One line, safe to print. */
export interface BodyLine {
  readonly text: string;
  readonly tone: ReviewTone;
}
