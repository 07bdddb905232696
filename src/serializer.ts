import { type PrintState, type Printer, serialize, test } from "./matchers/serializer/serializer.ts";

export { serialize, test };

/** Serializer for `snapshotSerializers` of Vitest or Jest. */
export interface SnapshotSerializer {
  readonly test: (value: unknown) => boolean;
  readonly serialize: <Config, Refs>(
    value: unknown,
    ...state: [...PrintState<Config, Refs>, Printer<Config, Refs>]
  ) => string;
}

const serializer: SnapshotSerializer = { test, serialize };

/** Snapshot serializer for `snapshotSerializers` of Vitest or Jest. Vitest loads only a default export. */
export default serializer;
