/**
 * Redacts bytes that came in parts, as text: UTF-8, or else bytes as characters, which finds what is ASCII. The number
 * of parts stays; the same array comes back when there is no secret. `redact` redacts the parts of a text.
 */
export function redactByteParts(
  parts: readonly Buffer[],
  redact: (parts: readonly string[]) => readonly string[],
): readonly Buffer[] {
  const texts = utf8Texts(parts);
  if (texts === undefined) return redactLatin1(parts, redact);
  const redacted = redact(texts);
  return redacted.join("") === texts.join("") ? parts : redacted.map((text) => Buffer.from(text, "utf8"));
}

/** A character that is split between parts counts to the later one; undefined when the bytes are no UTF-8. */
function utf8Texts(parts: readonly Buffer[]): readonly string[] | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return parts.map((part, index) => decoder.decode(part, { stream: index < parts.length - 1 }));
  } catch {
    return undefined;
  }
}

function redactLatin1(
  parts: readonly Buffer[],
  redact: (parts: readonly string[]) => readonly string[],
): readonly Buffer[] {
  const texts = parts.map((part) =>
    part.toString("latin1").replace(/Â«(redacted:[a-z0-9-]{1,40}:[0-9a-f]{8})Â»/g, "«$1»"),
  );
  const redacted = redact(texts);
  if (redacted.join("") === texts.join("")) return parts;
  // Placeholders are the only characters that one byte could stand for and that must be written as two.
  return redacted.map((text) =>
    Buffer.from(text.replace(/«(redacted:[a-z0-9-]{1,40}:[0-9a-f]{8})»/g, "Â«$1Â»"), "latin1"),
  );
}
