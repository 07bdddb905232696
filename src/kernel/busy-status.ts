/** Returns true for the HTTP status of a busy or unavailable service: clients send the request again. */
export function isBusyStatus(status: unknown): boolean {
  if (typeof status !== "number") return false;
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status <= 599);
}
