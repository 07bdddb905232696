import { crc32 } from "node:zlib";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { utf8Text } from "../http-fields.ts";

/** Bytes of the lengths with their checksum, and of the checksum of the frame. */
const PRELUDE = 12;
const CHECKSUM = 4;

/** A frame of Amazon's event streams: its text headers, and its payload (JSON data, or the bytes). */
interface EventFrame {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
}

/**
 * Splits a stream into frames. The beginning of an incomplete last frame follows without its payload, which no client
 * can read. Undefined if the bytes aren't frames.
 */
export function splitFrames(bytes: Buffer): readonly Buffer[] | undefined {
  const frames: Buffer[] = [];
  let at = 0;
  while (bytes.length - at >= PRELUDE + CHECKSUM) {
    const [length, headers] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
    if (headers > length - PRELUDE - CHECKSUM) return undefined;
    if (length > bytes.length - at) break;
    frames.push(bytes.subarray(at, at + length));
    at += length;
  }
  if (frames.length === 0) return undefined;
  return at === bytes.length ? frames : [...frames, bytes.subarray(at, at + PRELUDE)];
}

/** Reads a frame; undefined for the beginning of one. */
export function readFrame(frame: Buffer): EventFrame | undefined {
  if (frame.length < PRELUDE + CHECKSUM) return undefined;
  const payload = payloadOf(frame);
  const text = utf8Text(payload);
  const data = text === undefined ? undefined : parsedJson(text);
  const headers = headersOf(frame).flatMap(({ name, text: value }): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return { headers: Object.fromEntries(headers), payload: isPlainObject(data) ? data : (text ?? payload) };
}

/** Writes a frame with other texts and another payload: with its new lengths and checksums. */
export function changedFrame(frame: Buffer, { headers, payload }: EventFrame): Buffer {
  const content = isPlainObject(payload) ? Buffer.from(JSON.stringify(payload)) : bytesOf(payload);
  const parts = headersOf(frame).map(({ name, text, bytes }) => {
    const value = headers[name];
    return text === undefined || value === undefined || value === text ? bytes : textHeader(name, value);
  });
  return writtenFrame(Buffer.concat(parts), content);
}

/** Returns a frame with the length and the checksums of its content: earlier versions changed only the content. */
export function repairedFrame(frame: Buffer): Buffer {
  if (frame.length < PRELUDE + CHECKSUM || frame.readUInt32BE(0) === frame.length) return frame;
  const end = PRELUDE + frame.readUInt32BE(4);
  return end > frame.length - CHECKSUM ? frame : writtenFrame(frame.subarray(PRELUDE, end), payloadOf(frame));
}

function writtenFrame(headers: Buffer, payload: Buffer): Buffer {
  const frame = Buffer.alloc(PRELUDE + headers.length + payload.length + CHECKSUM);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, PRELUDE);
  payload.copy(frame, PRELUDE + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -CHECKSUM)), frame.length - CHECKSUM);
  return frame;
}

function payloadOf(frame: Buffer): Buffer {
  return frame.subarray(PRELUDE + frame.readUInt32BE(4), -CHECKSUM);
}

function bytesOf(payload: unknown): Buffer {
  return payload instanceof Uint8Array ? Buffer.from(payload) : Buffer.from(String(payload));
}

interface FrameHeader {
  readonly name: string;
  readonly bytes: Buffer;
  /** Value of a header with a text. */
  readonly text: string | undefined;
}

const TEXT = 7;
/** Bytes of a value by its type; those of a byte array (6) and a text (7) begin with their length. */
const SIZES: readonly number[] = [0, 0, 1, 2, 4, 8, 2, 2, 8, 16];

function headersOf(frame: Buffer): readonly FrameHeader[] {
  const all = frame.subarray(PRELUDE, PRELUDE + frame.readUInt32BE(4));
  const headers: FrameHeader[] = [];
  for (let at = 0; at < all.length; ) {
    const value = at + 2 + (all[at] ?? 0);
    const type = all[value - 1] ?? 0;
    const isSized = (type === 6 || type === TEXT) && value + 2 <= all.length;
    // The rest of malformed headers stays as it is.
    const end = Math.min(value + (SIZES[type] ?? all.length) + (isSized ? all.readUInt16BE(value) : 0), all.length);
    const text = type === TEXT && isSized ? all.toString("utf8", value + 2, end) : undefined;
    headers.push({ name: all.toString("utf8", at + 1, value - 1), bytes: all.subarray(at, end), text });
    at = end;
  }
  return headers;
}

/** Longest text of a header. */
const MAX_TEXT = 32_767;

function textHeader(name: string, text: string): Buffer {
  const [key, value] = [Buffer.from(name), Buffer.from(text).subarray(0, MAX_TEXT)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([TEXT]), length, value]);
}
