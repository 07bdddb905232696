import { type PrintState, type Printer, serialize, test } from "./matchers/serializer/serializer.ts";

export { serialize, test };

/** Element of `snapshotSerializers` of either runner. */
export interface SnapshotSerializer {
  readonly test: (value: unknown) => boolean;
  readonly serialize: <Config, Refs>(
    value: unknown,
    ...state: [...PrintState<Config, Refs>, Printer<Config, Refs>]
  ) => string;
}

const serializer: SnapshotSerializer = { test, serialize };

// Vitest loads a serializer's default export, Jest either form.
export default serializer;
