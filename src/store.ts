export type {
  Block,
  BlockStore,
  CommandRow,
  CommandStatus,
  Committed,
  Decision,
  EntryKind,
  Lease,
  Outbox,
  OverlayChange,
  Resolve,
  RunEntry,
  RunEvent,
  RunFilter,
  RunRef,
  RunStatus,
  RunStore,
  RunSummary,
  StartRun,
  StepCommit,
  StepFailed,
  StoreResult,
  StoredRun,
} from "./store/contract.ts";
export { type MemoryStoreOptions, createMemoryStore } from "./store/memory.ts";
export type { StoreLimits } from "./store/prepare.ts";
export type { StoreError, StoreErrorCode } from "./store/store-error.ts";
