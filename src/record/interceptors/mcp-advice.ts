import { processEnvironment, readVariable } from "../../kernel/environment.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { currentInterceptors, isInAdapter } from "./recording-scope.ts";

/** The code of JSON-RPC clients for a connection that was closed. */
const CONNECTION_CLOSED = -32000;

const ADVICE =
  "veritest can't replay a connect that runs outside of a step. Connect inside the step. Then a replay doesn't need " +
  "the server.";

/** Returns true for the first request of a client that a test connects outside of a run: it can't be replayed. */
export function isUnreplayedConnect(method: string): boolean {
  const isInRun = currentInterceptors().facts !== undefined || isInAdapter();
  if (method !== "initialize" || isInRun) return false;
  // Applications get the errors of their transports as they are.
  const environment = processEnvironment();
  const workers = [readVariable(environment, "VITEST_POOL_ID"), readVariable(environment, "JEST_WORKER_ID")];
  return workers.some((worker) => worker !== undefined);
}

/** Adds the advice to the error of a server that couldn't be reached. An error that the server sent stays unchanged. */
export function advisedError(thrown: unknown): unknown {
  // Not `instanceof Error`: in Jest, Node's own errors are of another realm.
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  return typeof code === "number" ? thrown : new Error(advised(messageOf(thrown)));
}

/** The response to a request whose server ended without one. Its client would only report "Connection closed". */
export function closedResponse(id: string | number): object {
  return { jsonrpc: "2.0", id, error: { code: CONNECTION_CLOSED, message: advised("Connection closed") } };
}

function advised(message: string): string {
  return `${message.replace(/\.$/, "")}. ${ADVICE}`;
}
