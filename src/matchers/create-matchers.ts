import type { RunInSession } from "./session.ts";
import { toBeOk } from "./to-be-ok.ts";
import { toBlockOn } from "./to-block-on.ts";
import { toCommand } from "./to-command.ts";
import { toEmitEvent } from "./to-emit-event.ts";
import { toEqualByKey } from "./to-equal-by-key.ts";
import { toFailWith } from "./to-fail-with.ts";
import { toHaveValidCommands } from "./to-have-valid-commands.ts";
import { toInvoke } from "./to-invoke.ts";
import { toMatchBaseline } from "./to-match-baseline.ts";
import { toRecomputeClean } from "./to-recompute-clean.ts";
import { toReplay } from "./to-replay.ts";

/** All matchers by name. */
export interface Matchers {
  readonly toMatchBaseline: ReturnType<typeof toMatchBaseline>;
  readonly toRecomputeClean: ReturnType<typeof toRecomputeClean>;
  readonly toReplay: ReturnType<typeof toReplay>;
  readonly toBeOk: typeof toBeOk;
  readonly toFailWith: typeof toFailWith;
  readonly toEmitEvent: typeof toEmitEvent;
  readonly toCommand: typeof toCommand;
  readonly toInvoke: typeof toInvoke;
  readonly toBlockOn: typeof toBlockOn;
  readonly toHaveValidCommands: typeof toHaveValidCommands;
  readonly toEqualByKey: typeof toEqualByKey;
}

/** All matchers, as `expect.extend` takes them; the baseline ones run within the session of the calling test. */
export function createMatchers(runInSession: RunInSession): Matchers {
  return {
    toMatchBaseline: toMatchBaseline(runInSession),
    toRecomputeClean: toRecomputeClean(runInSession),
    toReplay: toReplay(runInSession),
    toBeOk,
    toFailWith,
    toEmitEvent,
    toCommand,
    toInvoke,
    toBlockOn,
    toHaveValidCommands,
    toEqualByKey,
  };
}
