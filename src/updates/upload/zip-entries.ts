import { inflateRawSync } from "node:zlib";
import { unzipSync } from "fflate";

/** One file of a zip archive, as listed in its directory. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes before compression, according to the archive. Untrusted. */
  readonly originalSize: number;
}

/** Reads one of the files that were admitted. */
export interface AdmittedEntry extends ZipEntry {
  /** Throws if it differs from the archive's directory. Never inflates more than that size. */
  read(): Uint8Array;
}

/**
 * Files of a zip archive that `admit` selects. Each is only inflated when it's read. Throws the errors of `admit`, and
 * an error if it isn't a zip archive.
 */
export function zipEntries(bytes: Buffer, admit: (entry: ZipEntry) => boolean): AdmittedEntry[] {
  const starts = dataStarts(bytes);
  const admitted: AdmittedEntry[] = [];
  // fflate knows the kinds of archives. It would inflate to the end of the compressed data, whatever its declared size.
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
  if (compression !== 0 && compression !== 8) throw new Error(`its compression method ${compression} isn't supported`);
  const content = compression === 0 ? data : inflateRawSync(data, { maxOutputLength: Math.max(originalSize, 1) });
  if (content.length !== originalSize) throw new Error(`it has ${content.length} bytes, but declares ${originalSize}`);
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
