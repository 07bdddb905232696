import { isArray, isPlainObject } from "../../base/plain-data.ts";
import type { AdapterCall } from "../adapter-call.ts";
import { type ModelHandler, handlersHere, withHandlers } from "./recording-scope.ts";

/** Where the AI SDK keeps the integrations that `registerTelemetry` adds; read anew for each call. */
const AI_SDK_REGISTRY = "AI_SDK_TELEMETRY_INTEGRATIONS";

/** Whether a call was recorded on the tape of models, rather than by an adapter of that path. */
export function isTapedModelCall({ adapter, request }: AdapterCall): boolean {
  const [asked] = isArray(request) ? request : [];
  return (
    (adapter === "model.generate" || adapter === "model.stream") &&
    isPlainObject(asked) &&
    typeof asked["provider"] === "string" &&
    typeof asked["modelId"] === "string"
  );
}

/**
 * Runs something whose models were recorded on a tape that is not installed: until the run itself installs one, the AI
 * SDK 7 asks no model in it and throws an error that says what to install. Rejects with what `run` throws.
 */
export async function refusingModels<T>(run: () => T | PromiseLike<T>): Promise<T> {
  const integration = {
    executeLanguageModelCall: async ({
      execute,
    }: {
      readonly execute: () => PromiseLike<unknown>;
    }): Promise<unknown> => (handlersHere().model === REFUSING ? refuse() : execute()),
  };
  setRegistry([...registry(), integration]);
  try {
    return await withHandlers({ model: REFUSING }, async () => run());
  } finally {
    setRegistry(registry().filter((one) => one !== integration));
  }
}

function refuse(): never {
  throw new Error(
    "its model was recorded on a tape that is not installed here: call installAiSdk() of veritest/ai-sdk in a set-up " +
      "file or beside the step, or wrap the model with tapeModel()",
  );
}

/** Stands where no tape does: one that is installed later takes its place. */
const REFUSING: ModelHandler = { generate: refuse, stream: refuse, untaped: refuse, isTaped: () => false };

function registry(): readonly unknown[] {
  const integrations: unknown = Reflect.get(globalThis, AI_SDK_REGISTRY);
  return isArray(integrations) ? integrations : [];
}

function setRegistry(integrations: readonly unknown[]): void {
  Reflect.set(globalThis, AI_SDK_REGISTRY, integrations);
}
