import { type PrintState, type Printer, serialize, test } from "./serializer.ts";

/** Part of Vitest's `expect` that registers serializers. It's the same in Vitest 3.2 to 5. */
export interface SerializerTaker {
  addSnapshotSerializer(serializer: object): void;
}

/** Part of pretty-format's configuration that chooses the printer of a value: the first whose `test` accepts it. */
interface PrintConfig {
  readonly plugins: readonly { test(value: unknown): boolean }[];
}

/** Those that have ours. They last as long as what they add to: with `isolate: false`, many test files. */
const taken = new WeakSet<SerializerTaker>();

/**
 * Adds the serializer, once, with the rank of one that is present before any set-up file runs: those that set-up files
 * add win, also if they ran before this one. Vitest runs set-up files at the same time by default, so their order isn't
 * fixed.
 */
export function addSerializer(expect: SerializerTaker): void {
  if (taken.has(expect)) return;
  taken.add(expect);
  const own = {
    test,
    serialize<Config extends PrintConfig, Refs>(
      value: unknown,
      ...state: [...PrintState<Config, Refs>, Printer<Config, Refs>]
    ): string {
      const [config, indentation, depth, refs, printer] = state;
      const before = config.plugins.slice(config.plugins.indexOf(own) + 1);
      if (!before.some((other) => other.test(value))) return serialize(value, ...state);
      return printer(
        value,
        { ...config, plugins: [...config.plugins.filter((plugin) => plugin !== own), own] },
        indentation,
        depth,
        refs,
      );
    },
  };
  expect.addSnapshotSerializer(own);
}
