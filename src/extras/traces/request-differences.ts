import { isArray, isObject, isPlainObject } from "../../kernel/json/plain-data.ts";
import { recordIn } from "../../kernel/json/read-data.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { quote, truncate } from "../../kernel/text.ts";
import { isSameData } from "./same-data.ts";
import { unpacked } from "./json-items.ts";
import type { ModelRequestFacts, SeenModel, Turn } from "./observation.ts";
import { PROVIDER_PARAMETERS, requestFacts } from "./request-facts.ts";
import { mediaId, turnsOf } from "./turns.ts";

/** Characters shown around the first difference of two texts. */
const SHOWN = 60;
const MAX_DEPTH = 12;

/**
 * Compares a request of the current step with the traced one. Returns a phrase for each difference in the messages
 * (images and earlier turns included), the model, the tools and the parameters. Only parts that the trace has are
 * compared. `isProvider`: the method is a provider's, so its request is complete; another method may add messages.
 */
export function requestDifferences(
  traced: SeenModel,
  args: readonly unknown[],
  isProvider: boolean,
): readonly string[] {
  const [first] = args;
  const fields = recordIn(first);
  const turns = isArray(first) || isConversation(fields) ? turnsOf(first) : [];
  const isWhole = turns.length > 0;
  const facts = requestFacts(fields);
  const differentMessages = isWhole ? differentTurns(traced, turns, isProvider) : differentTexts(traced.turns, args);
  return [
    ...(traced.turns.length === 0 ? [] : differentMessages),
    ...differentModel(traced, facts),
    ...(isWhole ? differentTools(traced.request, facts) : []),
    ...differentParameters(traced.request, facts, { isWhole, isOfProvider: "messages" in fields || "input" in fields }),
  ];
}

/** Names the parts of a request of the current step that can't be compared, because the trace doesn't have them. */
export function uncomparedParts(
  { turns, lacksInstructions, request }: SeenModel,
  [first]: readonly unknown[],
): readonly string[] {
  const { tools = [] } = requestFacts(recordIn(first));
  const before = new Map(request?.tools?.map((tool) => [tool.name, tool]));
  const lacks = (part: "description" | "schema"): boolean =>
    tools.some(
      (tool) => tool[part] !== undefined && before.has(tool.name) && before.get(tool.name)?.[part] === undefined,
    );
  return [
    ...(turns.length === 0 ? ["messages"] : []),
    ...(lacksInstructions === true ? ["instructions"] : []),
    ...(tools.length > 0 && request?.tools === undefined ? ["tools"] : []),
    ...(lacks("description") ? ["descriptions of tools"] : []),
    ...(lacks("schema") ? ["arguments of tools"] : []),
  ];
}

function isConversation(fields: Readonly<Record<string, unknown>>): boolean {
  return ["messages", "prompt", "input", "contents"].some((name) => {
    const value = fields[name];
    return isArray(value) || (name !== "prompt" && typeof value === "string" && "model" in fields);
  });
}

/** Compares conversations turn by turn. */
function differentTurns(
  { turns: traced, lacksInstructions }: SeenModel,
  today: readonly Turn[],
  isProvider: boolean,
): readonly string[] {
  const isSystem = ({ role }: Turn): boolean => role === "system";
  // A method that isn't a provider's may add the system message itself.
  const ignoresSystem = !isProvider && !today.some(isSystem);
  const before = comparableTurns(ignoresSystem ? traced.filter((turn) => !isSystem(turn)) : traced);
  const after = comparableTurns(lacksInstructions === true ? today.filter((turn) => !isSystem(turn)) : today);
  const at = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index).find(
    (index) => !isSameData(before[index], after[index]),
  );
  if (at === undefined) return [];
  const isMoved = (turn: ComparableTurn | undefined, other: ComparableTurn | undefined): boolean =>
    turn !== undefined && before[at]?.role !== after[at]?.role && isSameData(turn, other);
  // A message in front of the others moves them.
  const old = isMoved(before[at], after[at + 1]) ? undefined : before[at];
  const now = isMoved(after[at], before[at + 1]) ? undefined : after[at];
  const where = `message ${at + 1}`;
  if (old === undefined || now === undefined) {
    const [turn, whose] = old === undefined ? [now, "the current request"] : [old, "the trace"];
    return [`${where}, ${turn?.role ?? ""}, only in ${whose}: ${shown(textOf(turn))}`];
  }
  if (old.role !== now.role) return [`${where}: ${old.role} → ${now.role}`];
  return [`${where}, ${now.role}: ${changeOf(textOf(old), textOf(now))}`];
}

interface ComparableTurn {
  readonly role: Turn["role"];
  readonly text: string;
  readonly media: readonly string[];
  readonly toolCalls: readonly { readonly name: string; readonly args: unknown }[];
  readonly results: readonly unknown[];
}

/** Converts turns to one notation. Turns of one role that follow each other are one in some notations. */
function comparableTurns(turns: readonly Turn[]): readonly ComparableTurn[] {
  const merged: ComparableTurn[] = [];
  for (const { role, text, media, toolCalls, results } of turns.flatMap(wordsApart)) {
    const turn: ComparableTurn = {
      role: results.length > 0 ? "tool" : role,
      text: results.length > 0 ? "" : text.trim(),
      media,
      toolCalls: toolCalls.map(({ name, args }) => ({ name, args })),
      results: results.map(({ value }) => unpacked(value)),
    };
    const last = merged.at(-1);
    if (last?.role !== turn.role) merged.push(turn);
    else
      merged[merged.length - 1] = {
        role: last.role,
        text: [last.text, turn.text].filter((part) => part !== "").join("\n"),
        media: [...last.media, ...turn.media],
        toolCalls: [...last.toolCalls, ...turn.toolCalls],
        results: [...last.results, ...turn.results],
      };
  }
  return merged;
}

/** A user's turn can have results of tools and, after them, words and media: two turns in other notations. */
function wordsApart(turn: Turn): readonly Turn[] {
  const { role, results, text, media } = turn;
  if (role !== "user" || results.length === 0 || (text.trim() === "" && media.length === 0)) return [turn];
  return [
    { ...turn, text: "", media: [] },
    { ...turn, results: [], toolCalls: [] },
  ];
}

function textOf(turn: ComparableTurn | undefined): string {
  if (turn === undefined) return "";
  const { text, media, toolCalls, results } = turn;
  const calls = toolCalls.map(({ name, args }) => `${name}(${stableStringify(args ?? null)})`);
  const values = results.map((value) => (typeof value === "string" ? value : stableStringify(value ?? null)));
  return [text, ...calls, ...values, ...media.map((content) => `[image or file ${content}]`)]
    .filter((part) => part !== "")
    .join("\n");
}

/**
 * Compares the texts of a request whose notation is unknown: a method may take a part of a message, or add to it. Each
 * of its texts must be in the trace, and each turn of the trace must share a text with it.
 */
function differentTexts(traced: readonly Turn[], args: readonly unknown[]): readonly string[] {
  const today = [...stringsIn(args)].filter((text) => text.trim() !== "");
  const todayMedia = new Set(today.map(mediaId));
  const shared = (text: string): boolean => today.some((own) => own.includes(text) || text.includes(own));
  const turns = comparableTurns(traced.filter(({ role }) => role !== "system"));
  const lost = turns.findIndex(
    ({ role, text, media }) =>
      role === "user" && ((text !== "" && !shared(text)) || media.some((content) => !todayMedia.has(content))),
  );
  const [turn] = lost === -1 ? [] : turns.slice(lost);
  if (turn !== undefined) return [`message ${lost + 1}, ${turn.role}, only in the trace: ${shown(textOf(turn))}`];
  const all = traced.map((seen) => stableStringify(seen)).join("\n");
  const isTraced = (text: string): boolean =>
    traced.some(({ media }) => media.includes(mediaId(text))) ||
    all.includes(JSON.stringify(text).slice(1, -1)) ||
    traced.some((seen) => seen.text !== "" && text.includes(seen.text));
  const added = today.find((text) => text.length > 2 && !isTraced(text));
  return added === undefined ? [] : [`only in the current request: ${shown(added)}`];
}

/** Yields the texts in a value, and its bytes as base64. */
function* stringsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  else if (value instanceof Uint8Array) yield Buffer.from(value).toString("base64");
  else if (depth < MAX_DEPTH && (isArray(value) || isPlainObject(value)))
    for (const part of Object.values(value)) yield* stringsIn(part, depth + 1);
}

function differentModel(traced: SeenModel, { model: today }: ModelRequestFacts): readonly string[] {
  const requested = traced.request?.model;
  const model = requested ?? traced.model;
  if (model === undefined || model === "" || today === undefined) return [];
  const [old, now] = [model, today].map((name) => name.split("/").at(-1) ?? "");
  if (old === now || (requested === undefined && isVersionOf(old ?? "", now ?? ""))) return [];
  return [`model: ${quote(model)} → ${quote(today)}`];
}

/** True if a response names a dated version of the requested model. */
function isVersionOf(response: string, requested: string): boolean {
  const name = requested.replace(/-latest$/, "");
  return response.startsWith(name) && /^[-@:.](?:\d[\d.-]*|latest|v\d.*)$/.test(response.slice(name.length));
}

function differentTools(
  { tools: before }: ModelRequestFacts = NO_FACTS,
  { tools: after = [] }: ModelRequestFacts,
): readonly string[] {
  if (before === undefined) return [];
  const names = [...new Set([...before, ...after].map(({ name }) => name))].toSorted();
  return names.flatMap((name) => {
    const [old, now] = [before, after].map((tools) => tools.find((tool) => tool.name === name));
    if (old === undefined) return [`tool ${quote(name)}: only in the current request`];
    if (now === undefined) return [`tool ${quote(name)}: only in the trace`];
    if (old.description !== undefined && now.description !== undefined && old.description !== now.description)
      return [`description of tool ${quote(name)}: ${changeOf(old.description, now.description)}`];
    if (old.schema === undefined || now.schema === undefined || isSameData(old.schema, now.schema)) return [];
    return [`arguments of tool ${quote(name)}: ${changeOf(stableStringify(old.schema), stableStringify(now.schema))}`];
  });
}

const NO_FACTS: ModelRequestFacts = { parameters: {} };

function differentParameters(
  { parameters: before }: ModelRequestFacts = NO_FACTS,
  { parameters: after }: ModelRequestFacts,
  { isWhole, isOfProvider }: { readonly isWhole: boolean; readonly isOfProvider: boolean },
): readonly string[] {
  return Object.entries(before).flatMap(([name, old]) => {
    const now = Object.hasOwn(after, name) ? after[name] : undefined;
    if (isSameData(old, now) || (now === undefined && !isWhole)) return [];
    if (now === undefined && PROVIDER_PARAMETERS.has(name) && !isOfProvider) return [];
    return [`${name}: ${shown(stableStringify(old))} → ${now === undefined ? "none" : shown(stableStringify(now))}`];
  });
}

/** Returns both texts around their first difference. */
function changeOf(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - SHOWN / 3);
  const part = (text: string): string => quote(`${from > 0 ? "…" : ""}${truncate(text.slice(from), SHOWN)}`);
  return `${part(before)} → ${part(after)}`;
}

function shown(text: string): string {
  return quote(truncate(text, SHOWN));
}

/** Compares the arguments of a call with the traced ones. */
export function differentArguments(name: string, traced: unknown, today: unknown): readonly string[] {
  if (traced === undefined || isSameData(traced, today)) return [];
  const [before, after] = [traced, today].map((value) => (isObject(value) ? stableStringify(value) : String(value)));
  return [`arguments of ${name}: ${changeOf(before ?? "", after ?? "")}`];
}
