import { AGENT_VARIABLES, isOn, readChoice } from "../../kernel/environment.ts";
import { type Result, ok } from "../../kernel/result.ts";
import { ciVariable } from "../../kernel/write-policy.ts";

/** Who makes a run or a settlement, as far as a policy tells them apart. */
export type ActorKind = "human" | "agent" | "ci";

/** An actor, with the evidence it was told by: shown to people and kept in receipts. */
export interface Actor {
  readonly kind: ActorKind;
  readonly because: string;
}

/** What an actor is told by. */
export interface ActorEvidence {
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the process talks to a terminal. */
  readonly isTTY: boolean;
}

const KINDS: readonly ActorKind[] = ["human", "agent", "ci"];

/**
 * Tells who acts: `VERITEST_ACTOR`, else the variables of CI services (`CI=false` says "no CI" whatever others say),
 * else those of coding agents, else a human. An unset, empty, `0` or `false` variable says nothing. CI comes before
 * agents: it is the stricter of the two, and an agent in a CI job acts for nobody who watches.
 *
 * Without a terminal it is still a human: editors, git hooks and task runners start tests without one, and a guess
 * against them would hold their updates with no evidence at all. An agent that says nothing of itself is named by
 * `VERITEST_ACTOR=agent`. The error is one sentence on a `VERITEST_ACTOR` that names no actor.
 */
export function inferActor({ environment, isTTY }: ActorEvidence): Result<Actor, string> {
  const stated = readChoice(environment, "VERITEST_ACTOR", KINDS);
  if (!stated.ok) return stated;
  if (stated.value !== undefined) return ok({ kind: stated.value, because: "VERITEST_ACTOR" });
  const ci = ciVariable(environment);
  if (ci !== undefined) return ok({ kind: "ci", because: `${ci} is set` });
  const agent = AGENT_VARIABLES.find((name) => isOn(environment, name));
  if (agent !== undefined) return ok({ kind: "agent", because: `${agent} is set` });
  return ok({ kind: "human", because: isTTY ? "a terminal" : "no TTY, nothing says otherwise" });
}
