import { type Result, err, ok } from "./result.ts";
import { memberOf, typeName, withArticle } from "./json/plain-data.ts";

/** The words of a thrown value: an Error's message, else the value as text. */
export function messageOf(thrown: unknown): string {
  // No `instanceof Error`: an error of another realm (a test environment's) is none here.
  if (typeof thrown === "object" && thrown !== null && "message" in thrown && typeof thrown.message === "string") {
    return thrown.message;
  }
  try {
    return String(thrown);
  } catch {
    // An object without a prototype, or with a toString that throws, has no text.
    return `${withArticle(typeName(thrown))} was thrown`;
  }
}

/** Number of causes that a message names: a client wraps the error of `fetch`, which wraps that of the socket. */
const MAX_CAUSES = 3;

/**
 * Returns a message of a thrown error with those of its causes, which often name the problem: `Connection error.
 * (caused by: fetch failed; connect ECONNREFUSED 127.0.0.1:443)`. Leaves out a cause without a text, and one whose text
 * the message contains already.
 */
export function withCauses(message: string, thrown: unknown): string {
  const causes: string[] = [];
  try {
    let cause = memberOf(thrown, "cause");
    for (let depth = 0; depth < MAX_CAUSES && cause !== undefined; depth += 1) {
      const text = causeText(cause);
      if (![message, ...causes].some((known) => known.includes(text))) causes.push(text);
      cause = memberOf(cause, "cause");
    }
  } catch {
    // A getter of the error threw. Its own message is still known.
  }
  return causes.length === 0 ? message : `${message} (caused by: ${causes.join("; ")})`;
}

/** Returns the message or code of a cause; empty if it has neither, as an object with only a status. */
function causeText(cause: unknown): string {
  if (typeof cause === "string") return cause;
  const text = memberOf(cause, "message");
  // The error of a connection to several addresses has only a code.
  return typeof text === "string" && text !== "" ? text : (codeOf(cause) ?? "");
}

/**
 * Message of an error of the file system, with a fix if the disk is full or a file belongs to another user: after a run
 * as root, in a container or with sudo, files of that run aren't the user's.
 */
export function fileErrorMessage(thrown: unknown): string {
  const message = messageOf(thrown);
  if (codeOf(thrown) === "ENOSPC" || codeOf(thrown) === "EDQUOT")
    return `${message}. The disk is full. Free some space (df -h shows what is left), and run the same command again`;
  return codeOf(thrown) === "EACCES" || codeOf(thrown) === "EPERM"
    ? `${message}. It might belong to another user, for example after a run as root. Change its owner (chown -R), ` +
        "or set VERITEST_STATE_DIR and VERITEST_NOTES_DIR to directories of your own"
    : message;
}

/**
 * The code of a system error; undefined for anything else. No `instanceof Error`: under Jest these are of another
 * realm.
 */
export function codeOf(thrown: unknown): string | undefined {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Returns true for an error, also for one of another realm, such as a test environment's. */
export function isAnyError(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Error]";
}

/** Returns the result of work on files, or the message of the error that it throws. */
export function attempt<T>(work: () => T): Result<T, string> {
  try {
    return ok(work());
  } catch (thrown) {
    return err(fileErrorMessage(thrown));
  }
}
