import { isArray, isPlainObject, parsedJson, setOwnField } from "../kernel/json/plain-data.ts";
import { IN_BYTES, inBytes, replaceInText } from "./placeholder.ts";

/** Rules to redact the pieces of one channel together. */
interface ChunkRules {
  /** Returns true if a field's text is hidden completely, in each chunk separately. */
  readonly isHidden: (name: string) => boolean;
  readonly redactParts: (parts: readonly string[]) => readonly string[];
}

/** A text, or bytes, within a chunk. */
interface Piece {
  readonly chunk: number;
  readonly path: readonly (string | number)[];
  readonly content: string | Buffer;
}

// Fields by which streams separate concurrent parts: choices, blocks, kinds of deltas.
const DISCRIMINATORS: readonly string[] = ["type", "index", "output_index", "content_index"];

/**
 * Redacts the chunks of a stream together: texts (or bytes) at the same path of several chunks are read as one, so that
 * a secret split between chunks is detected. Its placeholder goes into the chunk where it begins; the others lose their
 * part of it. The number of chunks stays; the same array is returned if there is no secret.
 */
export function redactAcrossChunks(chunks: readonly unknown[], rules: ChunkRules): readonly unknown[] {
  if (chunks.length < 2) return chunks;
  const redacted = [...chunks];
  let changed = false;
  for (const pieces of channelsOf(chunks, rules).values()) {
    if (pieces.length < 2) continue;
    const contents = redactPieces(pieces, rules);
    for (const [index, { chunk, path, content }] of pieces.entries()) {
      const after = contents[index];
      if (after === undefined || after === content) continue;
      redacted[chunk] = replaceAt(redacted[chunk], path, after);
      changed = true;
    }
  }
  return changed ? redacted : chunks;
}

function redactPieces(pieces: readonly Piece[], { redactParts }: ChunkRules): readonly (string | Buffer)[] {
  const texts = pieces.flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  if (texts.length === pieces.length) return redactParts(texts);
  const bytes = pieces.flatMap(({ content }) => (typeof content === "string" ? [] : [content]));
  return redactByteParts(bytes, redactParts);
}

function channelsOf(chunks: readonly unknown[], { isHidden }: ChunkRules): ReadonlyMap<string, readonly Piece[]> {
  const channels = new Map<string, Piece[]>();
  const add = (channel: string, piece: Piece): void => {
    const pieces = channels.get(channel);
    if (pieces === undefined) channels.set(channel, [piece]);
    else pieces.push(piece);
  };
  for (const [chunk, value] of chunks.entries())
    collect(value, { chunk, path: [], channel: "", isHidden, hidden: false }, add);
  return channels;
}

/** A path in the chunks of a stream, with the texts at it. */
class Channel {
  readonly inner = new Map<string, Channel>();
  /** Texts to join at the end: the engine searches a text that grew piece by piece more slowly. */
  readonly texts: string[] = [];
  #repeated = 0;

  /**
   * Adds a text. Each event of a stream repeats the id of its response and the name of its model. A secret in a long
   * row of copies is also in a shorter one, so only the first copies are kept.
   */
  add(text: string): void {
    this.#repeated = text === this.texts.at(-1) ? this.#repeated + text.length : 0;
    // The first repetition is always kept: two texts can spell a secret at their boundary.
    if (this.#repeated - text.length <= MAX_REPEATED) this.texts.push(text);
  }
}

/** Maximum number of characters of equal texts in a row. Longer secrets would have to consist of copies of one text. */
const MAX_REPEATED = 8192;

/** The texts that chunks without bytes spell together: those at the same path of several chunks, joined. */
export function textsAcrossChunks(chunks: readonly unknown[]): readonly string[] {
  const channels: Channel[] = [];
  const channelIn = (outer: Channel, name: string): Channel => {
    const known = outer.inner.get(name);
    if (known !== undefined) return known;
    const channel = new Channel();
    channels.push(channel);
    outer.inner.set(name, channel);
    return channel;
  };
  const add = (value: unknown, channel: Channel): void => {
    if (typeof value === "string") channel.add(value);
    else if (isArray(value)) {
      const isTokens = isTokenList(value);
      for (const [index, item] of value.entries()) add(item, channelIn(channel, isTokens ? "*" : String(index)));
    } else if (isPlainObject(value)) {
      const mark = discriminator(value);
      const inner = mark === "" ? channel : channelIn(channel, mark);
      for (const name of Object.keys(value)) {
        const item = value[name];
        if (typeof item === "string" || typeof item === "object") add(item, channelIn(inner, name));
      }
    }
  };
  const root = new Channel();
  for (const chunk of chunks) add(chunk, root);
  return [root, ...channels].flatMap(({ texts }) => (texts.length > 1 ? [texts.join("")] : []));
}

interface Position {
  readonly chunk: number;
  readonly path: readonly (string | number)[];
  readonly channel: string;
  readonly isHidden: (name: string) => boolean;
  /** The texts of a list are hidden by the name of the list. */
  readonly hidden: boolean;
}

function collect(value: unknown, position: Position, add: (channel: string, piece: Piece) => void): void {
  const { chunk, path, channel, isHidden } = position;
  if (typeof value === "string")
    return position.hidden ? undefined : add(`${channel} text`, { chunk, path, content: value });
  if (isArray(value)) {
    const isTokens = isTokenList(value);
    value.forEach((item, index) =>
      collect(item, { ...position, path: [...path, index], channel: `${channel}/${isTokens ? "*" : index}` }, add),
    );
    return;
  }
  if (!isPlainObject(value)) return;
  const bytes = taggedBytes(value);
  if (bytes !== undefined) return add(`${channel} bytes`, { chunk, path: [...path, "v", "base64"], content: bytes });
  const inner = channel + discriminator(value);
  for (const [name, item] of Object.entries(value)) {
    // Numbers and flags have no text.
    if (typeof item !== "string" && typeof item !== "object") continue;
    const channelOfItem = `${inner}/${JSON.stringify(name)}`;
    collect(item, { chunk, path: [...path, name], channel: channelOfItem, isHidden, hidden: isHidden(name) }, add);
  }
}

function discriminator(fields: Readonly<Record<string, unknown>>): string {
  if (!DISCRIMINATORS.some((name) => Object.hasOwn(fields, name) && fields[name] !== undefined)) return "";
  const marks = DISCRIMINATORS.map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined));
  return JSON.stringify(marks.map((mark) => (typeof mark === "object" ? null : mark)));
}

function taggedBytes({ $t, v }: Readonly<Record<string, unknown>>): Buffer | undefined {
  if ($t !== "bytes" || !isPlainObject(v) || typeof v["base64"] !== "string") return undefined;
  return /^(?:Buffer|ArrayBuffer|Uint8Array)$/.test(String(v["kind"])) ? Buffer.from(v["base64"], "base64") : undefined;
}

function replaceAt(value: unknown, path: readonly (string | number)[], content: string | Buffer): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return typeof content === "string" ? content : content.toString("base64");
  if (isArray(value)) return value.map((item, index) => (index === key ? replaceAt(item, rest, content) : item));
  const copy: Record<string, unknown> = Object.fromEntries(Object.entries(value ?? {}));
  setOwnField(copy, String(key), replaceAt(copy[key], rest, content));
  return key === "token" && rest.length === 0 ? withTokenBytes(copy) : copy;
}

/** The bytes of a token spell it again, and its alternatives begin as it does. */
function withTokenBytes({ token, bytes, top_logprobs, ...rest }: Readonly<Record<string, unknown>>): unknown {
  return {
    token,
    ...rest,
    ...(bytes === undefined ? {} : { bytes: isArray(bytes) ? [...Buffer.from(String(token))] : bytes }),
    ...(top_logprobs === undefined ? {} : { top_logprobs: isArray(top_logprobs) ? [] : top_logprobs }),
  };
}

/** Returns true if items are the tokens of a response with their probabilities: together they spell its text. */
export function isTokenList(items: readonly unknown[]): boolean {
  return items.length > 0 && items.every((item) => isPlainObject(item) && typeof item["token"] === "string");
}

/**
 * Redacts bytes in parts, as text: UTF-8, or bytes as characters, which detects ASCII. The number of parts stays; the
 * same array is returned if there is no secret. `redact` redacts the parts of a text.
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

/** A character that is split between parts counts to the later one; undefined if the bytes are not UTF-8. */
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
  const texts = parts.map((part) => part.toString("latin1").replace(IN_BYTES, "«$1»"));
  const redacted = redact(texts);
  if (redacted.join("") === texts.join("")) return parts;
  // Placeholders are the only characters that one byte could stand for and that must be written as two.
  return redacted.map((text) => Buffer.from(replaceInText(text, inBytes), "latin1"));
}

/** The event that bytes in base64 have, as Bedrock streams them in `{ bytes }`; undefined for other bytes. */
export function eventInBytes(base64: string): object | undefined {
  // The first characters of a JSON object in base64.
  if (!/^(?:ey|ew)[A-Za-z0-9+/]{2,}={0,2}$/.test(base64)) return undefined;
  const event = parsedJson(Buffer.from(base64, "base64").toString());
  return isPlainObject(event) ? event : undefined;
}

/** An event as bytes in base64. */
export function bytesOfEvent(event: unknown): string {
  return Buffer.from(JSON.stringify(event)).toString("base64");
}

/** A copy of the chunks of a stream in which the events in bytes are opened; undefined if there are none. */
export function openedChunks(chunks: readonly unknown[]): readonly unknown[] | undefined {
  const open = (bytes: unknown): unknown => (typeof bytes === "string" ? (eventInBytes(bytes) ?? bytes) : bytes);
  const opened = chunks.map((chunk) => mapBytes(chunk, open));
  return opened.some((chunk, index) => chunk !== chunks[index]) ? opened : undefined;
}

/** The chunks with their events in bytes again; a chunk whose events are the same is the given one. */
export function closedChunks(
  chunks: readonly unknown[],
  { opened, redacted }: { readonly opened: readonly unknown[]; readonly redacted: readonly unknown[] },
): readonly unknown[] {
  const close = (event: unknown): unknown => (isPlainObject(event) ? bytesOfEvent(event) : event);
  return chunks.map((chunk, index) => (redacted[index] === opened[index] ? chunk : mapBytes(redacted[index], close)));
}

/** Depth of `{ chunk: { bytes } }` and its like. */
const MAX_OPENED = 4;

function mapBytes(value: unknown, map: (bytes: unknown) => unknown, depth: number = 0): unknown {
  if (!isPlainObject(value) || depth > MAX_OPENED) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [name, item] of Object.entries(value)) {
    const mapped = name === "bytes" ? map(item) : mapBytes(item, map, depth + 1);
    if (mapped !== item) setOwnField((copy ??= { ...value }), name, mapped);
  }
  return copy ?? value;
}
