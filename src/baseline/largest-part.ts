import { escapeText, formatPath, formatSize } from "../kernel/text.ts";
import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";

/** The part of a baseline that makes it large. */
export interface LargestPart {
  /** Path of the part in the baseline, such as `calls[0].response`. */
  readonly path: string;
  /** Size of the part in bytes, as JSON. */
  readonly bytes: number;
}

/**
 * The deepest part that is more than half of a file's JSON: the part to make smaller, or to store only as a hash.
 * Undefined if many parts have similar sizes, and for a text that isn't JSON.
 */
export function largestPart(text: string): LargestPart | undefined {
  const path: (string | number)[] = [];
  let part = parsedJson(text);
  const least = bytesOf(part) / 2;
  let largest: LargestPart | undefined;
  for (;;) {
    const larger = partsOf(part).find(([, inner]) => bytesOf(inner) > least);
    if (larger === undefined) return largest;
    path.push(larger[0]);
    [, part] = larger;
    largest = { path: escapeText(formatPath(path)), bytes: bytesOf(part) };
  }
}

/**
 * Message of a file that is too large: its size, the limit, its largest part, and a fix: a sentence or two without
 * subject.
 */
export function tooLargeMessage(
  text: string,
  { bytes, maxBytes }: { readonly bytes: number; readonly maxBytes: number },
): string {
  const part = largestPart(text);
  const most = part === undefined ? "" : ` (${part.path}: ${formatSize(part.bytes)})`;
  const todo =
    part === undefined
      ? "Reduce its input or its output"
      : "Reduce that part, or store only its hash (redact.hashOnly)";
  return `${formatSize(bytes)}${most}, and policy.maxBytes is ${formatSize(maxBytes)}. ${todo}.`;
}

function partsOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (isArray(value)) return [...value.entries()];
  return isPlainObject(value) ? Object.entries(value) : [];
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
