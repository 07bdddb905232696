import { styleText } from "node:util";

const FORMATS = {
  plain: undefined,
  strong: "bold",
  faint: "dim",
  added: "green",
  removed: "red",
  changed: "yellow",
} as const satisfies Readonly<Record<ReviewTone, string | undefined>>;

/** Renders a line for a terminal. */
export function paint({ text, tone }: BodyLine, colour: boolean): string {
  const format = FORMATS[tone];
  if (!colour || format === undefined || text === "") return text;
  // The caller has checked that its own stream supports colours.
  return styleText(format, text, { validateStream: false });
}

/** Role of a line, shown as its colour. */
export type ReviewTone = "plain" | "strong" | "faint" | "added" | "removed" | "changed";

/** One line, safe to print. */
export interface BodyLine {
  readonly text: string;
  readonly tone: ReviewTone;
}
