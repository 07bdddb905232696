import { inflateRawSync } from "node:zlib";
import { unzipSync } from "fflate";

/** One file of a zip archive, as its directory tells of it. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes before it was compressed, as the archive says: it may lie. */
  readonly originalSize: number;
}

/** Reads one of the files that were admitted. */
export interface AdmittedEntry extends ZipEntry {
  /** Throws where it is not what the archive says, without having inflated more than it says. */
  read(): Uint8Array;
}

/**
 * The files of a zip archive that `admit` takes; none is inflated before it is read. Throws what `admit` throws, and
 * for what is no zip archive.
 */
export function zipEntries(bytes: Uint8Array, admit: (entry: ZipEntry) => boolean): AdmittedEntry[] {
  const starts = dataStarts(bytes);
  const admitted: AdmittedEntry[] = [];
  // fflate knows the kinds of archives; it would inflate to the end of what is compressed, whatever that is said to be.
  unzipSync(bytes, {
    filter: ({ name, size, originalSize, compression }) => {
      const start = starts.next().value ?? 0;
      if (admit({ name, originalSize }))
        admitted.push({
          name,
          originalSize,
          read: () => inflated(bytes.subarray(start, start + size), { compression, originalSize }),
        });
      return false;
    },
  });
  return admitted;
}

function inflated(
  data: Uint8Array,
  { compression, originalSize }: { readonly compression: number; readonly originalSize: number },
): Uint8Array {
  if (compression !== 0 && compression !== 8) throw new Error(`compression ${compression} is not known`);
  const content = compression === 0 ? data : inflateRawSync(data, { maxOutputLength: Math.max(originalSize, 1) });
  if (content.length !== originalSize) throw new Error(`it has ${content.length} bytes and says ${originalSize}`);
  return content;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const FULL = 0xffffffff;

/** Where the data of each file begins, in the order of the archive's directory: fflate does not tell. */
function* dataStarts(bytes: Uint8Array): Generator<number, void> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end > 0 && view.getUint32(end, true) !== END) end -= 1;
  const end64 = end >= 20 ? view.getUint32(end - 12, true) : 0;
  const is64 = end64 + 56 <= bytes.length && view.getUint32(end64, true) === END_64;
  let at = view.getUint32(end + 16, true);
  if (at === FULL && is64) at = view.getUint32(end64 + 48, true);
  for (;;) {
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const local = localStart(view, at, 46 + (name ?? 0));
    yield local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
}

/** Where a file's own header is; in large archives it stands behind the sizes that did not fit either. */
function localStart(view: DataView, at: number, extra: number): number {
  const start = view.getUint32(at + 42, true);
  if (start !== FULL) return start;
  const before = [20, 24].filter((size) => view.getUint32(at + size, true) === FULL).length;
  let field = at + extra;
  while (view.getUint16(field, true) !== 1) field += 4 + view.getUint16(field + 2, true);
  return view.getUint32(field + 4 + 8 * before, true);
}
