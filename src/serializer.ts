import { type Printer, serialize, test } from "./serializer/serializer.ts";

export { serialize, test };

/** What `snapshotSerializers` of either runner takes. */
export interface SnapshotSerializer {
  readonly test: (value: unknown) => boolean;
  readonly serialize: (value: unknown, config: object, indentation: string, depth: number, refs: unknown[], printer: Printer) => string;
}

const serializer: SnapshotSerializer = { test, serialize };

// Vitest loads a serializer's default export, Jest either form.
export default serializer;
