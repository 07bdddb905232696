/**
 * Throws a TypeError when a step's context stands where a call's options belong. It would become a part of the recorded
 * request, with a run id that no later run repeats.
 */
export function refuseContext(method: "complete" | "stream", options: object): void {
  if (!("runId" in options || "adapters" in options || "emitEvent" in options)) return;
  throw new TypeError(
    `llm.${method} was given a step's context. Call ${method}(ctx, request) of "veritest/llm" instead: it calls ctx.adapters.llm and keeps the artifacts.`,
  );
}
