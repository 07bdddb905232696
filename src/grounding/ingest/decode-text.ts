/**
 * Decodes a text file: UTF-8, or UTF-16 with a byte order mark, which is taken off. Undefined for bytes that are no
 * text: another encoding, or zero bytes within.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = utf16Of(bytes) ?? "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    // A fatal decoder throws for what is not its encoding; that is one of the two answers here.
    return undefined;
  }
}

function utf16Of([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
