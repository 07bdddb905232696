import { AGENT_VARIABLES, isOn, readChoice } from "../../kernel/environment.ts";
import { type Result, ok } from "../../kernel/result.ts";
import { JEST_CI, ciVariable } from "../../kernel/write-policy.ts";

/** Kind of actor that starts a run or makes a decision. Policies distinguish these kinds. */
export type ActorKind = "human" | "agent" | "ci";

/** An actor, with the evidence for its kind. It's shown to people and stored in receipts. */
export interface Actor {
  readonly kind: ActorKind;
  readonly because: string;
}

/** Evidence that identifies an actor. */
export interface ActorEvidence {
  readonly environment: NodeJS.ProcessEnv;
  /** True if the process has a terminal. */
  readonly isTTY: boolean;
}

const KINDS: readonly ActorKind[] = ["human", "agent", "ci"];

/**
 * Infers the actor from `VERITEST_ACTOR`, then the variables of CI services and Jest's `--ci` (`CI=false` means no CI
 * despite the others), then those of coding agents. The default is a human. Unset, empty, `0` or `false` variables
 * don't count. CI comes before agents: its rules are stricter, and an agent in a CI job has no user who watches. A
 * process without a terminal is still a human's, because editors, git hooks and task runners start tests without one,
 * and a wrong guess would withhold their updates without evidence. An agent without its own variable sets
 * `VERITEST_ACTOR=agent`.
 * The error is one sentence on an invalid `VERITEST_ACTOR`.
 */
export function inferActor({ environment, isTTY }: ActorEvidence): Result<Actor, string> {
  const stated = readChoice(environment, "VERITEST_ACTOR", KINDS);
  if (!stated.ok) return stated;
  if (stated.value !== undefined) return ok({ kind: stated.value, because: "VERITEST_ACTOR" });
  const ci = ciVariable(environment);
  if (ci !== undefined) return ok({ kind: "ci", because: ci === JEST_CI ? "Jest's option ci is on" : `${ci} is set` });
  const agent = AGENT_VARIABLES.find((name) => isOn(environment, name));
  if (agent !== undefined) return ok({ kind: "agent", because: `${agent} is set` });
  return ok({ kind: "human", because: isTTY ? "a terminal" : "no TTY" });
}
