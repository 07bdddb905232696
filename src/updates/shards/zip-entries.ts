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
export function zipEntries(bytes: Buffer, admit: (entry: ZipEntry) => boolean): AdmittedEntry[] {
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

/** Returns true for a Zip64 archive. No upload within the limits needs its sizes of 64 bits. */
export function isZip64(bytes: Buffer): boolean {
  const end = endRecord(bytes);
  return end >= 20 && bytes.readUInt32LE(end - 20) === 0x07064b50;
}

/** Offset of each file's data, in the order of the archive's directory, which fflate doesn't return. */
function* dataStarts(bytes: Buffer): Generator<number, void> {
  for (let at = bytes.readUInt32LE(endRecord(bytes) + 16); ; ) {
    const local = bytes.readUInt32LE(at + 42);
    yield local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

function endRecord(bytes: Buffer): number {
  return bytes.lastIndexOf("PK\u0005\u0006", bytes.length - 22);
}
