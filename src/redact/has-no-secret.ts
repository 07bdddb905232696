import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { VALUE_FIELDS, type SecretField, headerField, isSecretText, namedField } from "./field-names.ts";
import { queryField } from "./key-words.ts";
import { mayContainPlaceholder } from "./placeholder.ts";
import { eventInBytes, isTokenList, textsAcrossChunks } from "./redact-chunks.ts";
import { partsOfStream } from "./redact-parts.ts";
import { type ValueRules, isCommand } from "./redact-value.ts";
import { isParameters, urlParts } from "./request-url.ts";
import { isCard } from "./shape-detectors.ts";

/** Rules of a redactor that the quick check needs. Paths don't apply: the check doesn't track them. */
export interface QuickRules extends Pick<ValueRules, "find" | "lookup" | "redactName" | "redactText"> {
  /** Returns true if a text is too short and too plain for any secret. */
  readonly isPlain: (text: string) => boolean;
  /** Returns true if a text may contain a secret. Several texts can be joined with blank lines, which end a table. */
  readonly mayContain: (text: string) => boolean;
  /** Chunks of the last stream without a secret: its response, a list of them, is checked again. */
  readonly passed: readonly unknown[];
  /** Returns true if a text may contain a name that marks a value as a secret. */
  readonly mayName: (text: string) => boolean;
  /** Names of fields that don't contain or mark a secret. Grows. */
  readonly silentNames: Set<string>;
  /** Long texts without a secret: a request is checked when it's stored, sent, compared and reported. Grows. */
  readonly silentTexts: SilentTexts;
}

/** One look: the texts still to be searched, and how long they are together. */
interface Look {
  readonly rules: QuickRules;
  texts: string[];
  length: number;
  /** Short texts so far: the events of a stream repeat the same ids and names of models. */
  readonly seen: Set<string>;
}

function newLook(rules: QuickRules): Look {
  return { rules, texts: [], length: 0, seen: new Set() };
}

// Signs of names before values, and of encoded, escaped or JSON text.
const SPECIAL = /[%:=[{\\]/;

// A text with these, or with a name of a secret, is redacted to see if it changes.
const ENCODED_OR_JSON = /%[0-9A-Fa-f]{2}|^\s*[[{]/;

/** Number of characters of the other texts that are searched together. */
const TOGETHER = 32_768;

/** Longer texts are rarely repeated in a value. */
const MAX_SEEN = 128;

/** Characters of all texts that are remembered: those of a case, before and after an edit. */
const MAX_REMEMBERED = 8_388_608;

/** Long texts without a secret: each run of a case checks the same ones again. */
export class SilentTexts {
  readonly #texts = new Set<string>();
  #length = 0;

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    if (text.length > MAX_REMEMBERED || this.#texts.has(text)) return;
    if (this.#length + text.length > MAX_REMEMBERED) {
      this.#texts.clear();
      this.#length = 0;
    }
    this.#texts.add(text);
    this.#length += text.length;
  }
}

/** Enough for the fields of all that a run records; names beyond are looked at each time. */
const MAX_NAMES = 2000;

/** Deeper values are left to those who look closely. */
const MAX_DEPTH = 200;

/**
 * Checks a value quickly: true if it surely has no secret, false if only redacting it can show that. Texts without
 * special characters are searched together, a line each: a third of the time of redacting 1 MB of entities, and most
 * values have no secret.
 */
export function hasNoSecret(value: unknown, rules: QuickRules): boolean {
  const look = newLook(rules);
  return passes(value, look, 0) && textsPass(look);
}

/** Checks the chunks of one stream quickly: true if they surely have no secret, also none that is split. */
export function streamHasNoSecret(chunks: readonly unknown[], rules: QuickRules): boolean {
  const look = newLook(rules);
  return streamPasses(chunks, look) && textsPass(look);
}

/** Items first: among them are bytes, whose texts can't be joined here. The text of events is checked once, joined. */
function streamPasses(chunks: readonly unknown[], look: Look): boolean {
  return (areEventTexts(chunks) || itemsPass(chunks, look, 0)) && piecesPass(chunks, look);
}

/** Returns true for the events of a stream's text. A blank line ends each, so the joined text shows their secrets. */
function areEventTexts(chunks: readonly unknown[]): boolean {
  return (
    chunks.length > 1 &&
    chunks.every((chunk) => typeof chunk === "string" && (chunk.endsWith("\n\n") || chunk.endsWith("\r\n\r\n")))
  );
}

/** Checks the texts that items spell together. */
function piecesPass(items: readonly unknown[], look: Look): boolean {
  return textsAcrossChunks(items).every((text) => textPasses(text, look));
}

function passes(value: unknown, look: Look, depth: number): boolean {
  switch (typeof value) {
    case "string":
      return textPasses(value, look);
    case "number":
      return !isCard(value);
    case "object":
      if (value === null) return true;
      if (depth === MAX_DEPTH) return false;
      return isArray(value)
        ? itemsPass(value, look, depth + 1)
        : isPlainObject(value) && fieldsPass(value, look, depth + 1);
    case "bigint":
      return false;
    case "boolean":
    case "function":
    case "symbol":
    case "undefined":
      return true;
  }
}

function textPasses(text: string, look: Look): boolean {
  const { rules, texts, seen } = look;
  if (rules.isPlain(text) || (text.length <= MAX_SEEN && seen.has(text))) return true;
  if (text.length <= MAX_SEEN) seen.add(text);
  else if (rules.silentTexts.has(text)) return true;
  if (SPECIAL.test(text)) {
    if (ENCODED_OR_JSON.test(text)) return isUnchanged(text, rules);
    const { events, data } = partsOfStream(text);
    if (events.length + data.length > 0)
      return (
        !mayContainPlaceholder(text) &&
        rules.find(text).length === 0 &&
        streamPasses(events, look) &&
        textPasses(data.join(""), look)
      );
    if (text.includes("=") || rules.mayName(text)) return isUnchanged(text, rules);
  }
  texts.push(text);
  look.length += text.length;
  return look.length < TOGETHER || textsPass(look);
}

function textsPass(look: Look): boolean {
  const { rules, texts } = look;
  look.texts = [];
  look.length = 0;
  if (!togetherPass(texts, rules)) return false;
  for (const text of texts) remember(text, rules);
  return true;
}

function isUnchanged(text: string, rules: QuickRules): boolean {
  if (rules.redactText(text) !== text) return false;
  remember(text, rules);
  return true;
}

function remember(text: string, { silentTexts }: QuickRules): void {
  if (text.length > MAX_SEEN) silentTexts.add(text);
}

/** Few texts in a row have a sign of a secret, as "Basic" is one: they are searched by halves for it. */
function togetherPass(texts: readonly string[], rules: QuickRules): boolean {
  const [only] = texts;
  if (only === undefined) return true;
  if (texts.length === 1) return !rules.mayContain(only) || rules.redactText(only) === only;
  if (!rules.mayContain(texts.join("\n\n"))) return true;
  const half = texts.length >> 1;
  return togetherPass(texts.slice(0, half), rules) && togetherPass(texts.slice(half), rules);
}

function itemsPass(items: readonly unknown[], look: Look, depth: number): boolean {
  if (isTokenList(items) && !piecesPass(items, look)) return false;
  if (isCommand(items) && !textPasses(items.join(" "), look)) return false;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (isNamedSecret(item, headerField(items, index, look.rules))) return false;
    if (typeof item === "string" && item === look.rules.passed[index]) continue;
    if (!passes(item, look, depth)) return false;
  }
  return true;
}

function fieldsPass(fields: Readonly<Record<string, unknown>>, look: Look, depth: number): boolean {
  const { silentNames } = look.rules;
  const url = urlParts(fields);
  if (url !== undefined && !textPasses(url.base + url.path, look)) return false;
  for (const name of Object.keys(fields)) {
    const item = fields[name];
    if (name === "bytes" && typeof item === "string" && eventInBytes(item) !== undefined) return false;
    if (name === "tokens" && isArray(item) && isArray(fields["token_logprobs"]) && !piecesPass(item, look))
      return false;
    if (url !== undefined && isParameters(name) && hasQueryField(item)) return false;
    if (!silentNames.has(name) && !namePasses(name, fields, look.rules)) return false;
    if (!passes(item, look, depth)) return false;
  }
  return true;
}

function hasQueryField(item: unknown): boolean {
  if (isArray(item)) return item.some(hasQueryField);
  return isPlainObject(item) && (Object.keys(item).some(queryField) || Object.values(item).some(hasQueryField));
}

/** Checks a name, and remembers common names without a meaning: each of a run's few names is checked once. */
function namePasses(name: string, fields: Readonly<Record<string, unknown>>, rules: QuickRules): boolean {
  // The marks of encoded values have their own rules.
  if (name === "$t" || rules.redactName(name) !== name) return false;
  const item = fields[name];
  if (isNamedSecret(item, namedField(fields, { key: name, item }, rules))) return false;
  if (!VALUE_FIELDS.has(name) && rules.lookup(name) === undefined && rules.silentNames.size < MAX_NAMES)
    rules.silentNames.add(name);
  return true;
}

/**
 * Returns true if a value's name may make it a secret. A list or object passes the meaning of its name on to its
 * content.
 */
function isNamedSecret(item: unknown, field: SecretField | undefined): boolean {
  return field !== undefined && item !== null && (typeof item !== "string" || isSecretText(field, item));
}
