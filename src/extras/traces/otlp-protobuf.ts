import { TraceFileError } from "./json-items.ts";

/** Maximum bytes of one message, and maximum nesting of values. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 64;

/**
 * Reads the spans of OTLP in protobuf, each as the equivalent record of OTLP in JSON. The file is one `TracesData`,
 * or a sequence of them, each preceded by its length in four bytes, as the collector's file exporter writes it.
 * Throws a {@link TraceFileError} if it's neither.
 */
export async function* protobufSpans(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly value: unknown; readonly bytes: number }, void> {
  const file = new ByteQueue(chunks);
  const first = await file.peek();
  // A message begins with the tag of its first field; a length of less than 16 MiB begins with a zero.
  const isFramed = first === 0;
  for (;;) {
    const message = isFramed ? await framed(file) : await resourceSpans(file);
    if (message === undefined) return;
    const parents = isFramed
      ? fieldsOf(message)
          .filter(({ number }) => number === 1)
          .map(bytesOf)
      : [message];
    for (const bytes of parents) yield* spansBelow(bytes);
  }
}

/** Reads the spans of a `ResourceSpans`. */
function* spansBelow(resource: Uint8Array): Generator<{ readonly value: unknown; readonly bytes: number }, void> {
  for (const scope of fieldsOf(resource).filter(({ number }) => number === 2))
    for (const span of fieldsOf(bytesOf(scope)).filter(({ number }) => number === 2))
      yield { value: spanOf(bytesOf(span)), bytes: bytesOf(span).byteLength };
}

async function framed(file: ByteQueue): Promise<Uint8Array | undefined> {
  const head = await file.take(4);
  if (head === undefined) return undefined;
  return whole(file, new DataView(head.buffer, head.byteOffset, 4).getUint32(0));
}

/** Reads the next field of a `TracesData`, which has only one kind of field. */
async function resourceSpans(file: ByteQueue): Promise<Uint8Array | undefined> {
  const tag = await file.take(1);
  if (tag === undefined) return undefined;
  if (tag[0] !== 0x0a) throw new TraceFileError("isn't OTLP in protobuf");
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const [byte] = (await file.take(1)) ?? [];
    if (byte === undefined || shift > 28) throw new TraceFileError("isn't OTLP in protobuf");
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return whole(file, length);
  }
}

async function whole(file: ByteQueue, length: number): Promise<Uint8Array> {
  if (length > MAX_BYTES) throw new TraceFileError(`contains a record of more than ${MAX_BYTES / 1024 / 1024} MiB`);
  const bytes = length === 0 ? new Uint8Array() : await file.take(length);
  if (bytes === undefined) throw new TraceFileError("ends in the middle of a record, so it is incomplete");
  return bytes;
}

/** Bytes of a stream, taken in chunks of any size. */
class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array, unknown>;
  #rest: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#source = chunks[Symbol.asyncIterator]();
  }

  async peek(): Promise<number | undefined> {
    return (await this.#fill(1)) ? this.#rest[0] : undefined;
  }

  /** Returns undefined at the end, or if fewer bytes are left. */
  async take(count: number): Promise<Uint8Array | undefined> {
    const wasEmpty = this.#rest.length === 0;
    if (!(await this.#fill(count))) {
      if (this.#rest.length > 0 || !wasEmpty)
        throw new TraceFileError("ends in the middle of a record, so it is incomplete");
      return undefined;
    }
    const bytes = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return bytes;
  }

  async #fill(count: number): Promise<boolean> {
    const parts = [this.#rest];
    let size = this.#rest.length;
    while (size < count) {
      const { done, value } = await this.#source.next();
      if (done === true) break;
      parts.push(value);
      size += value.length;
    }
    if (parts.length > 1) this.#rest = Buffer.concat(parts);
    return size >= count;
  }
}

/** A field on the wire: its number, and a varint, eight bytes, four bytes, or bytes of any length. */
interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

function fieldsOf(bytes: Uint8Array): readonly WireField[] {
  const fields: WireField[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined || shift > 63n) throw new TraceFileError("isn't OTLP in protobuf");
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
  };
  const skip = (count: number): number => {
    const from = at;
    at += count;
    if (at > bytes.length) throw new TraceFileError("isn't OTLP in protobuf");
    return from;
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = Math.floor(tag / 8);
    if (tag % 8 === 0) fields.push({ number, value: varint() });
    else if (tag % 8 === 1) fields.push({ number, value: view.getBigUint64(skip(8), true) });
    else if (tag % 8 === 5) fields.push({ number, value: BigInt(view.getUint32(skip(4), true)) });
    else if (tag % 8 === 2) {
      const length = Number(varint());
      const from = skip(length);
      fields.push({ number, value: bytes.subarray(from, at) });
    } else throw new TraceFileError("isn't OTLP in protobuf");
  }
  return fields;
}

function bytesOf({ value }: WireField): Uint8Array {
  if (typeof value !== "bigint") return value;
  throw new TraceFileError("isn't OTLP in protobuf");
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(field: WireField | undefined): string | undefined {
  if (field === undefined) return undefined;
  try {
    return UTF8.decode(bytesOf(field));
  } catch (thrown) {
    throw thrown instanceof TraceFileError ? thrown : new TraceFileError("contains a string that isn't UTF-8");
  }
}

function hexOf(field: WireField | undefined): string | undefined {
  return field === undefined ? undefined : Buffer.from(bytesOf(field)).toString("hex");
}

/** Converts a span to JSON notation; the field numbers are those of opentelemetry-proto 1.x, `trace.proto`. */
function spanOf(bytes: Uint8Array): object {
  const fields = fieldsOf(bytes);
  const lastField = (number: number): WireField | undefined => fields.findLast((field) => field.number === number);
  const all = (number: number): readonly Uint8Array[] => fields.filter((field) => field.number === number).map(bytesOf);
  const status = lastField(15) === undefined ? [] : fieldsOf(all(15).at(-1) ?? new Uint8Array());
  const code = status.findLast(({ number }) => number === 3)?.value;
  return {
    traceId: hexOf(lastField(1)),
    spanId: hexOf(lastField(2)),
    parentSpanId: hexOf(lastField(4)),
    name: textOf(lastField(5)),
    startTimeUnixNano: String(lastField(7)?.value ?? 0),
    attributes: all(9).map((pair) => keyValueOf(pair, MAX_DEPTH)),
    events: all(11).map(eventOf),
    status: {
      code: Number(typeof code === "bigint" ? code : 0),
      message: textOf(status.findLast(({ number }) => number === 2)),
    },
  };
}

function eventOf(bytes: Uint8Array): object {
  const fields = fieldsOf(bytes);
  return {
    name: textOf(fields.findLast(({ number }) => number === 2)),
    attributes: fields.filter(({ number }) => number === 3).map((pair) => keyValueOf(bytesOf(pair), MAX_DEPTH)),
  };
}

function keyValueOf(bytes: Uint8Array, left: number): { readonly key: string; readonly value: unknown } {
  const fields = fieldsOf(bytes);
  const value = fields.findLast(({ number }) => number === 2);
  return {
    key: textOf(fields.findLast(({ number }) => number === 1)) ?? "",
    value: value === undefined ? undefined : anyValueOf(bytesOf(value), left),
  };
}

/** Converts a value, `AnyValue` of `common.proto`. */
function anyValueOf(bytes: Uint8Array, left: number): unknown {
  if (left === 0) throw new TraceFileError(`is nested more than ${MAX_DEPTH} levels deep`);
  const field = fieldsOf(bytes).at(-1);
  if (field === undefined) return undefined;
  const { value } = field;
  switch (field.number) {
    case 1:
      return { stringValue: textOf(field) };
    case 2:
      return { boolValue: value !== 0n };
    case 3:
      return { intValue: typeof value === "bigint" ? String(BigInt.asIntN(64, value)) : "0" };
    case 4:
      return { doubleValue: typeof value === "bigint" ? new Float64Array(new BigUint64Array([value]).buffer)[0] : 0 };
    case 5:
      return { arrayValue: { values: fieldsOf(bytesOf(field)).map((item) => anyValueOf(bytesOf(item), left - 1)) } };
    case 6:
      return { kvlistValue: { values: fieldsOf(bytesOf(field)).map((item) => keyValueOf(bytesOf(item), left - 1)) } };
    default:
      return undefined;
  }
}
