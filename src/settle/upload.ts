/** The limits of an upload, which comes from another machine and may be made to harm this one. */
export interface UploadLimits {
  /** Entries of any kind. */
  readonly entries: number;
  /** Bytes of the archive's own file. */
  readonly archiveBytes: number;
  /** Bytes of one proposal's file, and of all together. */
  readonly fileBytes: number;
  readonly totalBytes: number;
}

/** Far above what a run leaves, far below what fills a memory. */
export const UPLOAD_LIMITS: UploadLimits = {
  entries: 20_000,
  archiveBytes: 256 * 1024 * 1024,
  fileBytes: 96 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
};

/** A proposal's file in an upload. */
export interface UploadedFile {
  /** The directory that holds `pending`, relative to the upload; empty for the upload itself. */
  readonly state: string;
  /** 12 hex digits and `.json`. */
  readonly name: string;
  readonly text: string;
}

/** Why an upload is not read, in one phrase; never leaves this folder. */
export class UploadRefused extends Error {}

/** Counts what is read of an upload. Throws {@link UploadRefused} where a limit is passed. */
export class UploadBudget {
  readonly #limits: UploadLimits;
  #entries = 0;
  #bytes = 0;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  entry(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries)
      throw new UploadRefused(`it has more than ${this.#limits.entries} entries`);
  }

  file(name: string, bytes: number): void {
    const { fileBytes, totalBytes } = this.#limits;
    if (bytes > fileBytes) throw new UploadRefused(`${name} has ${bytes} bytes, more than ${fileBytes}`);
    this.#bytes += bytes;
    if (this.#bytes > totalBytes) throw new UploadRefused(`its proposals have more than ${totalBytes} bytes together`);
  }
}
