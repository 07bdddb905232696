export type { Block, Decision, RunRef } from "./kernel/step/block.ts";
export type {
  BlockStore,
  CommandRow,
  CommandStatus,
  Committed,
  EntryKind,
  Lease,
  Outbox,
  OverlayChange,
  Resolve,
  RunEntry,
  RunEvent,
  RunFilter,
  RunStatus,
  RunStore,
  RunSummary,
  StartRun,
  StepCommit,
  StepFailed,
  StoreResult,
  StoredRun,
} from "./extras/runs/store/contract.ts";
export { type MemoryStoreOptions, createMemoryStore } from "./extras/runs/store/memory.ts";
export type { StoreLimits } from "./extras/runs/store/prepare.ts";
export type { StoreError, StoreErrorCode } from "./extras/runs/store/store-error.ts";
