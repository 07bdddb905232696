import { isBusyStatus } from "../../kernel/busy-status.ts";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import type { ServiceFailure } from "../cause/cause.ts";

const CONNECTION = /^(?:ECONN(?:RESET|REFUSED|ABORTED)|EPIPE|ETIMEDOUT|UND_ERR_\w+)$/;
const HOST = /^(?:E(?:HOST|NET)(?:UNREACH|DOWN)|ENETRESET|ENOTFOUND|EAI_AGAIN)$/;
/** Names and classes of errors without a code: the SDKs of OpenAI and Anthropic throw theirs at a timeout. */
const NETWORK_ERROR = /^(?:Timeout|APIConnection(?:Timeout)?)Error$/;
/** Names of errors of AWS, which also sends them with status 400. */
const THROTTLED = new RegExp(
  "^(?:(?:Throttl(?:ing|ed)|TooManyRequests|ProvisionedThroughputExceeded|RequestThrottled|" +
    "ServiceUnavailable|ModelNotReady)(?:Exception|Error)?|RequestLimitExceeded|SlowDown)$",
);
const AWS_CREDENTIALS =
  /^(?:(?:ExpiredToken|UnrecognizedClient|InvalidSignature)(?:Exception)?|CredentialsProviderError)$/;
/** Codes of gRPC by number and by name, which Google's APIs also send as `status`. */
const GRPC: ReadonlyMap<unknown, ServiceFailure["kind"]> = new Map<unknown, ServiceFailure["kind"]>([
  [4, "unavailable"],
  [8, "unavailable"],
  [14, "unavailable"],
  [7, "credentials"],
  [16, "credentials"],
  ["DEADLINE_EXCEEDED", "unavailable"],
  ["RESOURCE_EXHAUSTED", "unavailable"],
  ["UNAVAILABLE", "unavailable"],
  ["PERMISSION_DENIED", "credentials"],
  ["UNAUTHENTICATED", "credentials"],
]);
/** Status codes that refuse the credentials: the service didn't process the request. */
const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 403]);
/** Status code of providers whose account has no balance left. */
const PAYMENT_REQUIRED = 402;

/** An error, or the data of one. */
export interface ThrownError {
  /** Reads a field. */
  readonly read: (name: string) => unknown;
  /** Its name and its class. */
  readonly names: readonly string[];
}

/**
 * Returns the failure that the fields of a client's error report: of OpenAI, Anthropic, the AI SDK, AWS, axios, gRPC,
 * Google, and of Node's network.
 */
export function failureOfFields({ read, names }: ThrownError): ServiceFailure | undefined {
  const [metadata, response] = [read("$metadata"), read("response")];
  const statuses = [
    read("status"),
    read("statusCode"),
    fieldOf(metadata, "httpStatusCode"),
    fieldOf(response, "status"),
    fieldOf(response, "statusCode"),
    read("code"),
  ];
  const failed = statuses.map(failureOfStatus).find((failure) => failure !== undefined);
  const isNamed = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  if (failed?.kind !== "unavailable") {
    if (isNamed(THROTTLED) || isPlainObject(read("$retryable"))) return { kind: "unavailable", status: undefined };
    if (isNamed(AWS_CREDENTIALS)) return { kind: "credentials", status: failed?.status };
  }
  if (failed !== undefined) return failed;
  const code = read("code");
  const kind = [isOfGrpc({ read, names }) ? code : undefined, String(code), read("status")].map((each) =>
    GRPC.get(each),
  );
  const ofGrpc = kind.find((each) => each !== undefined);
  if (ofGrpc !== undefined) return { kind: ofGrpc, status: undefined };
  // Without a status, an error of the AI SDK that can be retried is one of the network.
  const isOfNetwork = read("isRetryable") === true || isNetworkCode(code) || isNamed(NETWORK_ERROR);
  return isOfNetwork ? { kind: "unavailable", status: undefined } : undefined;
}

/** Numbers of gRPC are also those of other errors, so they need another sign of it. */
function isOfGrpc({ read, names }: ThrownError): boolean {
  return names.includes("ConnectError") || typeof read("details") === "string" || GRPC_MESSAGE.test(textOf(read));
}

/** "14 UNAVAILABLE: No connection established" */
const GRPC_MESSAGE = /^\d+ [A-Z]+(?:_[A-Z]+)*(?::|$)/;

function textOf(read: ThrownError["read"]): string {
  const message = read("message");
  return typeof message === "string" ? message : "";
}

/** `HTTP 503`, `HTTP/1.1 503`, `status: 503`, `status code 503`. */
const LABELLED = /\b(?:HTTP(?:\/\d(?:\.\d)?)?|status)(?:[ _-]?(?:code|error))?\s*[:=]?\s*\(?([45]\d\d)\b/i;

/**
 * Returns the outage that a text reports by a status code: with a label, with its phrase as in `429 Too Many Requests`,
 * or by the phrase alone. Other numbers may be data, and so may other status codes.
 */
export function failureOfText(text: string): ServiceFailure | undefined {
  const failure = failureOfStatus(LABELLED.exec(text)?.[1] ?? phrasedStatus(text.toLowerCase()));
  return failure?.kind === "refused" ? undefined : failure;
}

function phrasedStatus(text: string): string | undefined {
  const entry = Object.entries(PHRASES).find(
    ([status, phrase]) =>
      text.trim() === phrase || ["", ":", " -"].some((sign) => text.includes(`${status}${sign} ${phrase}`)),
  );
  return entry?.[0];
}

/** Phrases of status codes, in lower case. */
const PHRASES: Readonly<Record<string, string>> = {
  401: "unauthorized",
  402: "payment required",
  403: "forbidden",
  408: "request timeout",
  425: "too early",
  429: "too many requests",
  500: "internal server error",
  502: "bad gateway",
  503: "service unavailable",
  504: "gateway timeout",
};

/** Returns the failure that a status code reports, as a number or a text; undefined for one that isn't an error. */
export function failureOfStatus(value: unknown): ServiceFailure | undefined {
  const status = typeof value === "string" && /^[45]\d\d$/.test(value) ? Number(value) : value;
  if (typeof status !== "number") return undefined;
  if (isBusyStatus(status) || status === PAYMENT_REQUIRED) return { kind: "unavailable", status };
  if (UNAUTHORIZED.has(status)) return { kind: "credentials", status };
  return status >= 400 && status < 500 ? { kind: "refused", status } : undefined;
}

function isNetworkCode(code: unknown): boolean {
  return typeof code === "string" && (CONNECTION.test(code) || HOST.test(code));
}

/** Reads a field of a value within an error, such as the response of axios, which may be an instance. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const field: unknown = Reflect.get(value, name);
    return field;
  } catch {
    return undefined;
  }
}
