import { ANY_VERSION } from "./extras/runs/store/suite/any-version.ts";
import { BLOCKS } from "./extras/runs/store/suite/blocks.ts";
import type { ContractCase } from "./extras/runs/store/suite/case.ts";
import { COMMITS } from "./extras/runs/store/suite/commits.ts";
import { OUTBOX } from "./extras/runs/store/suite/outbox.ts";
import { LIVES } from "./extras/runs/store/suite/lives.ts";
import { STATE } from "./extras/runs/store/suite/state.ts";
import { STORED_VALUES } from "./extras/runs/store/suite/values.ts";

export { type CaseStoreOptions, type ContractCase, type OpenStore } from "./extras/runs/store/suite/case.ts";

/**
 * Requirements of every run store, to test your own store: run each case as a test, with a function that opens an empty
 * store. Cases throw errors of `node:assert`.
 *
 * @example
 * for (const { name, run } of storeContract) test(name, () => run(openMyStore));
 */
export const storeContract: readonly ContractCase[] = [
  ...COMMITS,
  ...ANY_VERSION,
  ...OUTBOX,
  ...LIVES,
  ...BLOCKS,
  ...STATE,
  ...STORED_VALUES,
];
