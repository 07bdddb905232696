import { hashValueSync } from "../../base/hash.ts";
import type { StepContext } from "../../step/context.ts";

/**
 * Keeps what a model's answer says of its cost, where it says so (`trace`, as adapters of `veritest/llm` do), as the
 * artifact `llm-trace`.
 */
export function keepTrace({ onArtifact }: Pick<StepContext, "onArtifact">, answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("trace" in answer)) return;
  const { trace } = answer;
  if (typeof trace === "object" && trace !== null)
    onArtifact?.({ hash: hashValueSync(trace), kind: "llm-trace", content: trace });
}
