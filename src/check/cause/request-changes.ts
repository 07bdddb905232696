import { parseUrl } from "../../kernel/parse-url.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { sharedListEnds } from "../../kernel/diff/edit.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { isArray, isPlainObject, memberOf } from "../../kernel/json/plain-data.ts";
import type { CallRole } from "../../kernel/call-role.ts";
import { sharedEnds } from "../../kernel/text.ts";
import { type AdapterCall, FETCH } from "../../record/adapter-call.ts";
import { withToolNames } from "../../record/calls/tool-names.ts";
import { requestIdentity } from "../../record/request-keys.ts";
import { type RoleEvidence, httpRequestOf } from "../../record/model-call.ts";
import { recordingRules } from "../../record/recording-rules.ts";
import type { RequestChange } from "./cause.ts";
import { namesModel } from "./names-model.ts";
import { type OfflineChange, withoutCall } from "./stubbed-calls.ts";

/** Cause that a difference of a request is evidence for. */
type RequestCause = "code" | "prompt" | "model" | "schema" | "environment";

/** Changed requests by the cause that they are evidence for. A request with several differences is in several lists. */
export interface RequestChanges {
  readonly code: readonly OfflineChange[];
  readonly prompt: readonly RequestChange[];
  readonly model: readonly RequestChange[];
  readonly schema: readonly RequestChange[];
  readonly environment: readonly RequestChange[];
}

/**
 * Sorts the requests that the current code changed on the recorded responses. A changed request to a model is evidence
 * for the prompt, with these exceptions: the model's name is evidence for the model, and the JSON schema of a response
 * or a tool for the schema. Data of a tool's response that the code leaves out, adds or reorders, a recorded request
 * that is sent again, and one that isn't sent while no other is new, are evidence for the code. A changed request to
 * any other adapter is evidence for the code. Another host, and another path or query of a model's URL, is evidence for
 * the environment.
 */
export function sortRequestChanges(
  changes: readonly OfflineChange[],
  {
    recorded,
    roleOf,
  }: { readonly recorded: readonly AdapterCall[]; readonly roleOf: (call: RoleEvidence) => CallRole },
): RequestChanges {
  const rules = recordingRules();
  const identityOf = ({ adapter, request }: Pick<AdapterCall, "adapter" | "request">): string =>
    requestIdentity(adapter, rules.request(adapter, request));
  const known = new Set(recorded.map(identityOf));
  const responses = recorded
    .filter((call) => roleOf(call) !== "model")
    .map(({ response }) => stableStringify(response));
  const sorted: Record<RequestCause, OfflineChange[]> = {
    code: [],
    prompt: [],
    model: [],
    schema: [],
    environment: [],
  };
  // Without another request to a model, the code only ends earlier, as with a lower limit of turns.
  const isOtherPrompt = changes.some(({ kind, call }) => kind !== "dropped" && roleOf(call) === "model");
  for (const change of changes) {
    const isModel = roleOf(change.call) === "model";
    if (change.entries.length === 0) {
      const isRepeated = change.kind === "added" && known.has(identityOf(change.call));
      const isPrompt = isModel && (change.kind === "added" ? !isRepeated : isOtherPrompt);
      sorted[isPrompt ? "prompt" : "code"].push(change);
    }
    const parts = Map.groupBy(change.entries, (entry): RequestCause => {
      if (isOtherHost(entry)) return "environment";
      return isModel ? modelRequestCause(entry, { request: change.call.request, responses }) : "code";
    });
    for (const [part, entries] of parts) sorted[part].push({ ...change, entries });
  }
  const { code, ...others } = sorted;
  return {
    code,
    prompt: others.prompt.map(shown),
    model: others.model.map(shown),
    schema: others.schema.map(shown),
    environment: others.environment.map(shown),
  };
}

/** Returns a change as a cause shows it: with the names of tools instead of their indexes. */
function shown(change: OfflineChange): RequestChange {
  const { call, entries } = change;
  return { ...withoutCall(change), entries: entries.map((entry) => withToolNames(entry, { request: call.request })) };
}

function modelRequestCause(
  entry: DiffEntry,
  { request, responses }: { readonly request: unknown; readonly responses: readonly string[] },
): RequestCause {
  if (hasOtherForm(entry, request)) return "prompt";
  if (isEndpoint(entry, request)) return namesModel(entry) ? "model" : "environment";
  const area = areaOf(entry.path, request);
  if (area === "schema" && !isDescription(entry.path)) return "schema";
  if (area === "settings" && namesModel(entry)) return "model";
  const isData = isToolResult(entry, request) || movesResponseData(entry, responses);
  return isData || reordersResponseData(entry, responses) || losesValue(entry) ? "code" : "prompt";
}

/** Returns true if only the scheme, host or port of a URL differs. */
function isOtherHost({ path, before, after }: DiffEntry): boolean {
  const [old, now] = [urlOf(before), urlOf(after)];
  if (old === undefined || now === undefined) return false;
  // The recorder of `fetch` stores the origin in a field.
  if (path.at(-1) === "origin") return true;
  // Schemes such as `redis:` have no origin.
  const rest = ({ pathname, search, hash }: URL): string => pathname + search + hash;
  return (old.protocol !== now.protocol || old.host !== now.host) && rest(old) === rest(now);
}

/** Returns true for the path or query of a URL, such as its `api-version`, in the request of `fetch`. */
function isEndpoint({ path }: DiffEntry, request: unknown): boolean {
  const field = path[2];
  return (field === "path" || field === "query") && httpRequestOf({ adapter: FETCH, request }) !== undefined;
}

/** Returns true if the response that a changed request got has another form than the step expects of it. */
export function expectsOtherForm({ changes }: { readonly changes: readonly OfflineChange[] }): boolean {
  return changes.some(({ entries, call }) => entries.some((entry) => hasOtherForm(entry, call.request)));
}

/**
 * Returns true if a request to a model differs in the method of its API, as `/chat/completions` and `/responses`, or in
 * whether it requests a stream. Its response has another form than the recorded one.
 */
function hasOtherForm(entry: DiffEntry, request: unknown): boolean {
  const { path, before, after } = entry;
  const isFlag = [before, after].every((value) => value === undefined || typeof value === "boolean");
  if (path.at(-1) === "stream" && isFlag) return areaOf(path, request) === "settings";
  return isEndpoint(entry, request) && path[2] === "path" && methodOf(before) !== methodOf(after);
}

/** Returns the end of a model's URL: `/chat/completions`, `/messages`, `:generateContent`. */
function methodOf(path: unknown): string | undefined {
  return /(?:\/chat)?[/:][^/:]+$/.exec(String(path))?.[0];
}

/** Returns the URL of a text if it has a host. `Summarize: the order` is prose, and `user:7` an id. */
function urlOf(value: unknown): URL | undefined {
  return typeof value === "string" && /^[a-z][a-z\d+.-]*:\/\/[^\s/]\S*$/i.test(value) ? parseUrl(value) : undefined;
}

/** Keys under which requests to models have the JSON schema of a response or of a tool's input. */
const SCHEMA_KEY = /schema(?:_definition)?$|^(?:format|guided_json|parameters)$/i;

/** Keys of the texts and data that a model reads: keys below them have no meaning for the request. */
const CONVERSATION_KEYS: ReadonlySet<unknown> = new Set([
  "contents",
  "input",
  "inputs",
  "instructions",
  "messages",
  "prompt",
  "system",
]);

/** Keys of the tools that a model may call, by name or index: `parameters` below them is a schema. */
const TOOL_KEYS: ReadonlySet<unknown> = new Set([
  "functionDeclarations",
  "function_declarations",
  "functions",
  "toolConfig",
  "tools",
]);

/** Keys among them that clients use for settings too. */
const SETTINGS_KEYS: ReadonlySet<unknown> = new Set(["format", "parameters"]);

/** Keys that only a JSON schema has: clients also send settings as `parameters`. */
const KEYWORDS: ReadonlySet<unknown> = new Set(["$defs", "anyOf", "items", "properties", "required"]);

/** Returns the part of a request that a path is in, by the first key that leads to a conversation or a schema. */
function areaOf(path: DiffEntry["path"], request: unknown): "conversation" | "schema" | "settings" {
  let isTool = false;
  let value: unknown = { request };
  for (const [index, key] of path.slice(0, -1).entries()) {
    if (!isTool && CONVERSATION_KEYS.has(key)) return "conversation";
    isTool ||= TOOL_KEYS.has(key);
    const isSchema = !SETTINGS_KEYS.has(key) || isTool || KEYWORDS.has(path[index + 1]);
    value = memberOf(value, key);
    if ((SCHEMA_KEY.test(String(key)) && isSchema) || isJsonSchema(value)) return "schema";
  }
  return "settings";
}

/** A schema may also be an argument, or be in any field, such as `response_model`. */
function isJsonSchema(value: unknown): boolean {
  return memberOf(value, "type") === "object" && isPlainObject(memberOf(value, "properties"));
}

/** A description in a schema is text for the model. A property of that name isn't. */
function isDescription(path: DiffEntry["path"]): boolean {
  const [above, last] = path.slice(-2);
  return last === "description" && above !== "properties";
}

/** Names of the properties that are new, missing, or have another form in the schemas of changed requests. */
export function schemaProperties(requests: readonly RequestChange[]): ReadonlySet<string | number> {
  return new Set(
    requests.flatMap(({ entries }) =>
      entries.flatMap(({ path }) =>
        LIMIT.test(String(path.at(-1))) ? [] : path.filter((_key, index) => path[index - 1] === "properties"),
      ),
    ),
  );
}

/** Keywords that limit a value: other limits can refuse a response, but don't change the result of a step. */
const LIMIT = /^(?:(?:exclusive)?(?:min|max)imum|(?:min|max)(?:Length|Items|Properties)|multipleOf|pattern)$/i;

const RESULT_TYPE = /(?:tool|call)[_-](?:result|output)$/;

/** Keys of the result of a tool in a part of a message, in Gemini and Bedrock. */
const RESULT_KEY = /^(?:function|tool)_?(?:response|result)$/i;

/** Returns true if an entry is, or is in, a message with the response of a tool. */
function isToolResult({ path, before, edit }: DiffEntry, request: unknown): boolean {
  if (isResultMessage(before)) return true;
  // The path of a removed element is its own before: today another element is there.
  if (edit === "removed") return false;
  let value: unknown = request;
  // The path begins with the name of the part.
  const keys = path.slice(1);
  return keys.some((key, index) => isResultMessage((value = memberOf(value, key)), keys[index + 1]));
}

/** Returns true if a value is a message with the response of a tool. `key` names its part that differs. */
function isResultMessage(value: unknown, key?: string | number): boolean {
  if (!isPlainObject(value)) return false;
  // A serialized message of LangChain has its class as the end of its id.
  const { role, id, content, parts = content } = value;
  if (role === "tool" || role === "function" || (isArray(id) && id.at(-1) === "ToolMessage")) return true;
  return isResultPart(value, key) || (isArray(parts) && parts.length > 0 && parts.every((part) => isResultPart(part)));
}

function isResultPart(part: unknown, key?: string | number): boolean {
  if (!isPlainObject(part)) return false;
  const keys = key === undefined ? Object.keys(part) : [String(key)];
  return RESULT_TYPE.test(String(part["type"])) || keys.some((name) => RESULT_KEY.test(name));
}

/** Minimum characters of a piece of data: a response may contain a shorter one, or a single word, by chance. */
const MIN_PIECE = 8;
const SINGLE_WORD = /^\p{L}*$/u;

/** Separates pieces of data in a text, such as the rows of a list and the fields of JSON. */
const SEPARATORS = /[\n"\\{}[\]:,;|•]+/;

/** Returns true if an entry only leaves out, or only adds, data that a tool responded with. */
function movesResponseData(entry: DiffEntry, responses: readonly string[]): boolean {
  const part = changedPart(entry);
  if (isPlainObject(part) && responses.some((text) => text.includes(stableStringify(part)))) return true;
  const pieces = textsIn(part)
    .flatMap((text) => text.split(SEPARATORS))
    // The code numbers rows, or puts a mark before each.
    .map((text) => text.replace(/^\P{L}+/u, "").trim())
    .filter((text) => text.length >= MIN_PIECE);
  const isChance = SINGLE_WORD.test(pieces.join(" "));
  return !isChance && pieces.every((piece) => responses.some((text) => text.includes(piece)));
}

/**
 * Returns true if a text has the same pieces in another order, and a tool responded with each piece that moved: the
 * code joins the rows of a response, or several responses, in another order.
 */
function reordersResponseData({ before, after }: DiffEntry, responses: readonly string[]): boolean {
  if (typeof before !== "string" || typeof after !== "string") return false;
  // The code separates the pieces; the words of a sentence can be in any response by chance.
  const [was = [], is = []] = [before, after].map((text) =>
    text
      .split(SEPARATORS)
      .map((piece) => piece.trim())
      .filter((piece) => piece !== ""),
  );
  if (was.length !== is.length || was.toSorted().join("\n") !== is.toSorted().join("\n")) return false;
  const values = responses.map((text) => text.replaceAll(/"(?:[^"\\]|\\.)*":/g, ""));
  const moved = is.filter((piece, index) => piece !== was[index]);
  const isResponse = (piece: string): boolean => values.includes(JSON.stringify(piece));
  return (
    moved.some((piece) => piece.length > 1 || isResponse(piece)) &&
    moved.every((piece) => values.some((text) => text.includes(piece)))
  );
}

/** Texts that the code makes of a missing value. Most texts have none of them, and aren't split. */
const LOST = /undefined|NaN|\[object Object\]/;
const LOST_WORD = new RegExp(`^["'(]?(?:${LOST.source})["').,;:!?]?$`);

/** Returns true if the only difference of a text is that a missing value is in the place of other words. */
function losesValue({ before, after }: DiffEntry): boolean {
  if (typeof before !== "string" || typeof after !== "string" || !LOST.test(after)) return false;
  const [was, is] = [before.split(BETWEEN_WORDS), after.split(BETWEEN_WORDS)];
  const { start, end } = sharedListEnds(was, is);
  const [lost, ...more] = is.slice(start, is.length - end);
  return was.length > start + end && more.length === 0 && lost !== undefined && LOST_WORD.test(lost);
}

/** Spaces, except the one in `[object Object]`. */
const BETWEEN_WORDS = /(?!(?<=\[object) Object\])\s+/;

/** Returns the value or the part of a text that only one side has; undefined if both sides have another one. */
function changedPart({ before, after }: DiffEntry): unknown {
  if (before === undefined || after === undefined) return before ?? after;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const { start, end } = sharedEnds(before, after);
  const [longer, shorter] = before.length > after.length ? [before, after] : [after, before];
  return start + end < shorter.length ? undefined : longer.slice(start, longer.length - end);
}

/** Returns the texts in a value, at any depth. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return isArray(value) || isPlainObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
