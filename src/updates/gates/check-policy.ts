import { matchesName } from "../../kernel/matches-name.ts";
import { ciRefusal } from "../../kernel/write-policy.ts";
import { tooLargeMessage } from "../../baseline/largest-part.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { namesOfUnnamed } from "../../check/compare/unnamed-fields.ts";
import type { Actor } from "../receipts/actor.ts";
import type { PendingChange } from "../pending/pending-change.ts";
import type { Policy } from "../policy.ts";
import type { UpdateContext } from "../update-context.ts";

/** Result of a gate. Undefined if the changes pass, otherwise one sentence. */
export interface GateResult {
  readonly name: string;
  readonly problem: string | undefined;
}

/** Checks the rules of a policy that only need the changes themselves. Every gate has a result, in a fixed order. */
export function checkPolicy(
  changes: readonly PendingChange[],
  context: Pick<UpdateContext, "policy" | "actor" | "by" | "reason">,
): GateResult[] {
  const { policy } = context;
  return [
    { name: "actor", problem: actorProblem(policy, context.actor) },
    { name: "reason", problem: reasonProblem(policy, context) },
    { name: "max-updates", problem: budgetProblem(changes, policy) },
    { name: "protect", problem: context.by === "person" ? undefined : protectProblem(changes, policy) },
    { name: "forbid", problem: forbidProblem(changes, policy) },
    { name: "size", problem: sizeProblem(changes, policy) },
  ];
}

/** One sentence if changes may not be accepted by group. Undefined if they may. */
export function groupProblem(
  changes: readonly PendingChange[],
  { policy, actor }: Pick<UpdateContext, "policy" | "actor">,
): string | undefined {
  const { forbidGroups } = policy;
  if (changes.length === 0) return undefined;
  if (forbidGroups.includes("agents") && actor.kind === "agent")
    return (
      `An agent can't accept groups, because policy.forbidGroups contains "agents" (${actor.because}). ` +
      "Accept the changes by key: npx veritest accept <keys>"
    );
  const steps = forbidGroups.includes("protected") ? protectedSteps(changes, policy) : undefined;
  return steps === undefined
    ? undefined
    : `policy.protect protects ${steps}. Review each change, because policy.forbidGroups contains "protected".`;
}

function actorProblem({ agents }: Policy, actor: Actor): string | undefined {
  switch (actor.kind) {
    case "human":
      return undefined;
    case "ci":
      return ciRefusal(actor);
    case "agent":
      return agents === "commit"
        ? undefined
        : `An agent can't accept changes here (${actor.because}; policy.agents is "propose-only").`;
  }
}

function reasonProblem(
  { requireReason }: Policy,
  { by, reason }: Pick<UpdateContext, "by" | "reason">,
): string | undefined {
  if (!requireReason || (reason !== undefined && reason.trim() !== "")) return undefined;
  return `A reason is required. Add ${by === "run" ? "VERITEST_REASON" : "--reason"}.`;
}

function budgetProblem(changes: readonly PendingChange[], { maxUpdates }: Policy): string | undefined {
  const updates = changes.filter(({ kind, replaces }) => kind !== "add" || replaces !== undefined).length;
  return updates > maxUpdates
    ? `${updates} baselines would be updated or removed, but policy.maxUpdates is ${maxUpdates}.`
    : undefined;
}

function protectProblem(changes: readonly PendingChange[], { protect }: Policy): string | undefined {
  const steps = protectedSteps(changes, { protect });
  return steps === undefined
    ? undefined
    : `policy.protect protects ${steps}. A person has to accept the changes: npx veritest review`;
}

function protectedSteps(changes: readonly PendingChange[], { protect }: Pick<Policy, "protect">): string | undefined {
  return namesOf(
    changes.filter(({ group }) => protect.some((pattern) => matchesName(pattern, group))).map(({ group }) => group),
  );
}

function forbidProblem(changes: readonly PendingChange[], { forbid, forbidUnnamed }: Policy): string | undefined {
  const classes = namesOf(changes.filter(({ verdict }) => forbid.includes(verdict)).map(({ verdict }) => verdict));
  if (classes !== undefined) return `policy.forbid forbids ${classes}.`;
  const fields = forbidUnnamed ? namesOf(changes.flatMap(unnamedIn)) : undefined;
  return fields === undefined
    ? undefined
    : `policy.forbidUnnamed forbids ${fields}. Add the field to the step's schema, or remove it from the result.`;
}

/** Fields of a change's output that its schema doesn't name, with the step. */
function unnamedIn({ group, text = "" }: PendingChange): readonly string[] {
  const parsed = parseBaseline(text, group);
  const artifacts = parsed.ok && parsed.value.kind === "step" ? parsed.value.artifacts : [];
  return namesOfUnnamed(artifacts).map((name) => `${name} of ${group}`);
}

/** Problem of a baseline that would be too large, with its largest parts. */
function sizeProblem(changes: readonly PendingChange[], { maxBytes }: Policy): string | undefined {
  for (const { target, text = "" } of changes) {
    const bytes = Buffer.byteLength(text);
    if (bytes > maxBytes) return `${target} would be ${tooLargeMessage(text, { bytes, maxBytes })}`;
  }
  return undefined;
}

function namesOf(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : [...new Set(names)].toSorted().join(", ");
}
