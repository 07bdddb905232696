import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import type { Check } from "../check.ts";
import type { ServiceFailure } from "../cause/cause.ts";
import { type ThrownError, failureOfFields, failureOfText } from "./failure-of-error.ts";

/** Names and classes of errors of aborted requests. */
const ABORTED_ERROR = /^(?:Abort|APIUserAbort)Error$/;
/**
 * Class of the AI SDK's error without a key, and the beginnings of messages of OpenAI, Anthropic and other clients. A
 * step may say in other words that a customer has no key.
 */
const NO_KEY_ERRORS = [
  /^AI_LoadAPIKeyError$/,
  /^Missing credentials\. Please pass|^Could not resolve authentication method/,
  /^(?:The )?[A-Z0-9]+_API_KEY environment variable is missing or empty/,
  /^OpenAI or Azure OpenAI API key or Token Provider/,
  /^(?:(?:Anthropic|Google|Groq|Mistral|Cohere) )?API key (?:not found|is missing|must be set)/,
];
/** Number of errors within one another, or in a list of attempts, that are inspected. */
const MAX_ERRORS = 20;

/**
 * Returns true if a case failed because a service or the network failed, or because a service refused the key. The
 * request is one of a live adapter or of the step itself. Then no step, prompt or model is the cause. A request that
 * the service refused for its content (`refused`, such as status 400) isn't an outage: the code may cause it.
 */
export function isOutage(check: Pick<Check, "verdict" | "findings">): boolean {
  const failure = serviceFailureOf(check);
  return failure !== undefined && failure.kind !== "refused";
}

/**
 * Returns the failure of a service that a case reports. The attempts of a client that gave up are inspected too. If no
 * call of the run failed, the step itself threw the error, whatever its status is. The error of a step that reads the
 * status itself has none, so the search for the cause adds the failure of its last call.
 */
export function serviceFailureOf({
  verdict,
  findings,
}: Pick<Check, "verdict" | "findings">): ServiceFailure | undefined {
  const { hasFailedCall = false, networkAccess, serviceFailure } = findings;
  if (serviceFailure !== undefined) return serviceFailure;
  if (verdict.kind !== "failed" || (!hasFailedCall && networkAccess === undefined)) return undefined;
  return failureOfThrown(verdict.error.cause);
}

/**
 * Returns true for a call that threw, that has no complete response, or whose response contains an error, at any depth
 * and in JSON in its texts: a gateway responds with `{ choices: [{ error: { code: 503 } }] }` and status 200, a stream
 * with an event `response.failed`, GraphQL with `errors`. Data may contain such a field too, but
 * `serviceFailureOf` also requires that the step threw the error of a service.
 */
export function isFailedCall(call: AdapterCall): boolean {
  if (Object.hasOwn(call, "error") || call.open === true) return true;
  const { status, statusCode = status, isError } = isPlainObject(call.response) ? call.response : {};
  if (isError === true || (typeof statusCode === "number" && statusCode >= 400)) return true;
  return hasOpenStream(call.response) || ERROR_FIELD.test(stableStringify(call.response ?? null));
}

/** A field of JSON, or of JSON within a text, with an error that isn't empty. */
const ERROR_FIELD = /"errors?\\*":(?=((?:\s|\\+[nrt])*))\1(?!null|false|0(?!\.)|\\*"\\*"|\[\]|\{\})/;

function hasOpenStream(response: unknown): boolean {
  if (!isArray(response) && !isPlainObject(response)) return false;
  const isOpen = isPlainObject(response) && isArray(response["chunks"]) && response["open"] === true;
  return isOpen || Object.values(response).some(hasOpenStream);
}

/**
 * Returns the failure of a service that a thrown error, its causes or its attempts report: in their fields, or else in
 * their messages.
 */
export function failureOfThrown(cause: unknown): ServiceFailure | undefined {
  const errors = errorsIn(cause);
  const reported = errors.map(failureOfFields).find((failure) => failure !== undefined);
  return (
    reported ??
    errors.map(({ read }) => failureOfText(String(read("message")))).find((failure) => failure !== undefined)
  );
}

/**
 * Returns true if a request was aborted without a reason, as a client does at its own timeout. A request that is
 * aborted with a reason throws that reason.
 */
export function isAborted(cause: unknown): boolean {
  return errorsIn(cause).some(({ names }) => names.some((name) => ABORTED_ERROR.test(name)));
}

/** Returns true if a client refused to send a request because it has no key. */
export function isMissingKey(cause: unknown): boolean {
  const isRefused = errorsIn(cause).some(({ read, names }) =>
    [...names, String(read("message"))].some((text) => NO_KEY_ERRORS.some((pattern) => pattern.test(text))),
  );
  // With a status, a service refused the key.
  return isRefused && failureOfThrown(cause) === undefined;
}

/** Lists a thrown error with its causes and attempts. */
function errorsIn(cause: unknown): readonly ThrownError[] {
  const queue: unknown[] = [cause];
  const errors: ThrownError[] = [];
  for (let index = 0; index < queue.length && index < MAX_ERRORS; index += 1) {
    const thrown = queue[index];
    if (typeof thrown !== "object" || thrown === null) continue;
    const read = fieldReader(thrown);
    const attempts = read("errors");
    errors.push({ read, names: [String(read("name")), classOf(read("constructor"))] });
    queue.push(read("cause"), read("lastError"), ...(isArray(attempts) ? attempts : []));
  }
  return errors;
}

function classOf(constructor: unknown): string {
  return typeof constructor === "function" ? constructor.name : "";
}

/** Reads fields of a client's error, whose getters may throw too. */
function fieldReader(thrown: object): (name: string) => unknown {
  return (name) => {
    try {
      const value: unknown = Reflect.get(thrown, name);
      return value;
    } catch {
      return undefined;
    }
  };
}
