import type { Row } from "./row.ts";
import { otherTargets, sameTargets, sameTargetsAndDeath } from "./rows/at-once.ts";
import { brokenLock } from "./rows/broken-lock.ts";
import { crashInRecovery, errorInRecovery } from "./rows/crash-in-recovery.ts";
import {
  errorAfterEveryCall,
  errorAtEveryCall,
  errorAtEveryRead,
  errorThenKill,
  killAtEveryCall,
  otherDisk,
  poorFileSystem,
} from "./rows/every-call.ts";
import { editAfterCrash, editDuringCommit, gitAfterCrash } from "./rows/human-edits.ts";
import { linkedBeforeCommit, linkedBeforeRecovery } from "./rows/linked-directories.ts";
import { clockJumps, leftLocks } from "./rows/locks-and-clocks.ts";
import { hardNames, linksAndKinds, otherUser } from "./rows/places.ts";
import { powerLoss, powerLossAfterAnother } from "./rows/power-loss.ts";
import { realKills } from "./rows/real-kills.ts";
import { smallDisk } from "./rows/small-disk.ts";
import {
  faultWhileAccepting,
  faultWhileCommitting,
  faultWhileHolding,
  faultWhileStaging,
} from "./rows/whole-settlement.ts";
import { disturbedRuns, killedRuns } from "./rows/whole-runs.ts";

/** Every row, in the order they are tried and shown. */
export const ROWS: readonly Row[] = [
  killAtEveryCall,
  errorAtEveryCall,
  errorAfterEveryCall,
  errorAtEveryRead,
  errorThenKill,
  crashInRecovery,
  errorInRecovery,
  powerLoss,
  powerLossAfterAnother,
  realKills,
  faultWhileStaging,
  faultWhileCommitting,
  faultWhileHolding,
  faultWhileAccepting,
  sameTargets,
  otherTargets,
  sameTargetsAndDeath,
  editDuringCommit,
  editAfterCrash,
  gitAfterCrash,
  linksAndKinds,
  linkedBeforeCommit,
  linkedBeforeRecovery,
  hardNames,
  otherUser,
  otherDisk,
  poorFileSystem,
  smallDisk,
  leftLocks,
  clockJumps,
  brokenLock,
  ...killedRuns,
  ...disturbedRuns,
];
