import { fieldAt, textAt } from "./read-body.ts";
import type { Sent } from "./provider-response.ts";

/**
 * A resource of an SDK's client, recognized by its `create` method. Any version of your SDK that has this method works.
 */
export interface SdkResource {
  readonly create: (body: never, options?: never) => PromiseLike<unknown>;
}

/**
 * Makes one raw request: no retries, which belong above the recorder, and none of the SDK's own parsing of the
 * response. Rejects with the SDK's errors.
 */
export async function createRaw(resource: SdkResource, body: object, signal: AbortSignal | undefined): Promise<Sent> {
  const options = { maxRetries: 0, ...(signal === undefined ? {} : { signal }) };
  const pending: unknown = Reflect.apply(resource.create, resource, [body, options]);
  // The only way to get the request's id of a stream; a wrapped client may return a plain promise.
  if (!hasResponse(pending)) {
    const data = await pending;
    return { data, requestId: textAt(data, "_request_id") };
  }
  const answered = await pending.withResponse();
  return { data: fieldAt(answered, "data"), requestId: textAt(answered, "request_id") };
}

function hasResponse(pending: unknown): pending is { withResponse(): Promise<unknown> } {
  return (
    typeof pending === "object" &&
    pending !== null &&
    "withResponse" in pending &&
    typeof pending.withResponse === "function"
  );
}
