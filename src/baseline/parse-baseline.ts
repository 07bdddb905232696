import { isPlainObject } from "../base/plain-data.ts";
import { type Result, err, ok } from "../base/result.ts";
import { escapeText } from "../base/text.ts";
import { messageOf } from "../base/thrown.ts";
import { BASELINE_VERSION, type Baseline } from "./baseline.ts";
import { readFields } from "./read-fields.ts";

const RESTORE = "Restore it from git, or delete it and capture it again.";

/**
 * Reads the text of a baseline file, or says in one sentence what is wrong with it and what to do. `file` is only used
 * in that sentence. Structure is checked here; hashes where the baseline is used.
 */
export function parseBaseline(text: string, file: string): Result<Baseline, string> {
  const refuse = (found: string, todo: string): Result<never, string> => err(`Cannot read ${file}: ${found}. ${todo}`);
  const json = parseJson(text);
  if (!json.ok) {
    // Neither an empty text nor one with conflict markers is JSON: looking for them first was a tenth of reading a
    // file.
    if (text.trim() === "") return refuse("it is empty", RESTORE);
    const conflict = conflictLine(text);
    if (conflict === undefined) return refuse(`it is no JSON (${json.error})`, RESTORE);
    return refuse(
      `it holds git conflict markers (line ${conflict})`,
      "Resolve the conflict, or delete it and capture it again.",
    );
  }
  if (!isPlainObject(json.value)) return refuse("it holds no JSON object", RESTORE);
  const { version } = json.value;
  if (typeof version === "number" && version > BASELINE_VERSION) {
    return refuse(`format ${version}, newest known ${BASELINE_VERSION}`, "Update veritest.");
  }
  if (version !== BASELINE_VERSION) {
    return refuse(
      `"version" is ${escapeText(JSON.stringify(version) ?? "missing")}, expected ${BASELINE_VERSION}`,
      RESTORE,
    );
  }
  const baseline = readFields(json.value);
  return typeof baseline === "string" ? refuse(baseline, RESTORE) : ok(baseline);
}

/** The line of the first git conflict marker; a JSON string never starts a line, so content cannot look like one. */
function conflictLine(text: string): number | undefined {
  const marker = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/m.exec(text);
  return marker === null ? undefined : text.slice(0, marker.index).split("\n").length;
}

function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch (thrown) {
    // The parser quotes the file, which is untrusted text.
    return err(escapeText(messageOf(thrown)).replaceAll("\n", " "));
  }
}
