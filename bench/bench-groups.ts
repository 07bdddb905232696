import type { BenchGroup } from "./bench-group.ts";
import { capture } from "./groups/capture.ts";
import { canonical } from "./groups/canonical.ts";
import { digest } from "./groups/digest.ts";
import { failing } from "./groups/failing.ts";
import { growth } from "./groups/growth.ts";
import { keyedDiff } from "./groups/keyed-diff.ts";
import { large } from "./groups/large.ts";
import { laws } from "./groups/laws.ts";
import { matcher } from "./groups/matcher.ts";
import { recording } from "./groups/recording.ts";
import { replay } from "./groups/replay.ts";
import { runStore } from "./groups/run-store.ts";
import { setup } from "./groups/setup.ts";
import { store } from "./groups/store.ts";
import { stream } from "./groups/stream.ts";
import { sweep } from "./groups/sweep.ts";
import { wholeRun } from "./groups/whole-run.ts";

/** All groups, in the order in which they run: first those that run in this process. */
export const GROUPS: readonly BenchGroup[] = [
  canonical,
  digest,
  keyedDiff,
  growth,
  replay,
  recording,
  stream,
  laws,
  store,
  runStore,
  sweep,
  capture,
  large,
  matcher,
  failing,
  setup,
  wholeRun,
];
