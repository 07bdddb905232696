import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { PLACEHOLDER, carriedPlaceholders } from "./placeholder.ts";
import { type SecretSpan, type TextEdit, editParts, outside } from "./secret-spans.ts";

/** Context of the redaction of texts. */
export interface TextRules {
  readonly find: (text: string) => readonly SecretSpan[];
  /** Returns true if a text of JSON names a field with secrets. */
  readonly namesSecret: (text: string) => boolean;
  /** Returns the placeholder of a secret, and records the secret. */
  readonly hide: (kind: string, secret: string) => string;
  /** Records a secret that its name reveals, so that it is also hidden without a name before it. */
  readonly note: (kind: string, secret: string) => void;
  /** Redacts parsed JSON; returns the same value if it has no secret. */
  readonly redactData: (data: unknown) => unknown;
  /** Redacts parsed JSON values that are the chunks of one stream; returns the same array if they have no secret. */
  readonly redactEvents: (events: readonly unknown[]) => readonly unknown[];
}

// Hiding one secret can make another stand free; more rounds than this would mean a rule that finds placeholders.
const MAX_ROUNDS = 4;

// JSON that nests deeper than any real data is searched as the text it is.
const MAX_DEPTH = 200;

/**
 * Redacts a text that may be in parts, such as the chunks of a stream: a secret that is split between parts is
 * detected, too. The number of parts stays; the same array is returned if there is no secret.
 */
export function redactParts(parts: readonly string[], rules: TextRules): readonly string[] {
  const restored = editParts(parts, carriedPlaceholders(parts.join("")));
  // Before any text is searched: the first piece of a secret that is split across events may look like a complete one,
  // and once it is hidden, the others can't be recognized.
  const withoutEvents = editParts(restored, editsOfEvents(restored.join(""), rules));
  // The first piece of a percent-encoded secret may look like a complete one, too.
  const decoded = editParts(
    withoutEvents,
    editsOfEncoded(withoutEvents.join(""), (text) => redactParts([text], rules).join("")),
  );
  const plain = hideSpans(decoded, rules);
  const edits = editsOfJson(plain.join(""), rules);
  return edits.length === 0 ? plain : hideSpans(editParts(plain, edits), rules);
}

function hideSpans(parts: readonly string[], { find, hide, note }: TextRules): readonly string[] {
  let hidden = parts;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const text = hidden.join("");
    const spans = find(text);
    if (spans.length === 0) break;
    // A secret split across parts may appear again in the same pieces, without a sign that they belong together.
    for (const { start, end, kind, isNamed } of spans)
      if (isNamed === true || parts.length > 1) note(kind, text.slice(start, end));
    hidden = editParts(
      hidden,
      spans.map((span) => ({ ...span, text: replacement(text, span, hide) })),
    );
  }
  return hidden;
}

/** The placeholder; in quotes if it replaces a number that is a JSON field, so that the JSON stays valid. */
function replacement(text: string, { start, end, kind }: SecretSpan, hide: TextRules["hide"]): string {
  const placeholder = hide(kind, text.slice(start, end));
  const quote = /(\\*")\s{0,8}:\s{0,8}$/.exec(text.slice(Math.max(0, start - 24), start))?.[1];
  return quote === undefined ? placeholder : quote + placeholder + quote;
}

/** The edits for what only the structure of a JSON text shows: lists under a secret name. */
function editsOfJson(text: string, rules: TextRules): readonly TextEdit[] {
  if (!/^\s{0,64}[[{]/.test(text) || !rules.namesSecret(text)) return [];
  const data = parseJson(text);
  return data === undefined ? [] : editOf(data, rules.redactData(data), { start: 0, end: text.length, text });
}

/** The edits for what only the events of a stream say together. */
function editsOfEvents(text: string, rules: TextRules): readonly TextEdit[] {
  if (!isStream(text)) return [];
  const lines = eventLines(text);
  const edits = [...editsOfLines(lines, rules), ...editsOfData(dataLines(text, lines), rules)];
  return edits.toSorted((a, b) => a.start - b.start);
}

/** The events of a stream's text, and its lines of data that aren't events: those that are redacted together. */
export function partsOfStream(text: string): { readonly events: readonly unknown[]; readonly data: readonly string[] } {
  if (!isStream(text)) return { events: [], data: [] };
  const lines = eventLines(text);
  return { events: lines.map(eventOf), data: dataLines(text, lines).map((line) => line.text) };
}

function isStream(text: string): boolean {
  return text.includes("\n") && STREAM.test(text);
}

const STREAM = /(?:^|\n)\u{1e}?(?:\{|data:|[0-9a-z]:["{[])/u;

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly data: unknown;
  /** Type of a part: the first character of a line of the AI SDK. */
  readonly type: string | undefined;
}

// A line with another end isn't JSON, and the parser takes long to report that.
const EVENT_LINE = new RegExp(
  String.raw`(?:^|[\r\n])\x1e?(?:data:|(?<type>[0-9a-z]):)?[^\S\r\n]{0,8}` +
    String.raw`(?<json>\{[^\r\n]*\}|"[^\r\n]*"|\[[^\r\n]*\])[^\S\r\n]*(?![^\r\n])`,
  "g",
);

const DATA_LINES = /(?:^|(?<=[\r\n]))data:[^\r\n]*(?:(?:\r\n|\r|\n)data:[^\r\n]*)+/g;

/** Server-sent events whose JSON is written in several lines. */
function longEvents(text: string): readonly Line[] {
  return [...text.matchAll(DATA_LINES)].flatMap(({ index, 0: lines }) => {
    const json = lines.replaceAll(/(?<=^|[\r\n])data: ?/g, "");
    const data = json.startsWith("{") ? parseEvent(json) : undefined;
    const start = index + (lines.startsWith("data: ") ? 6 : 5);
    const end = index + lines.length;
    return data === undefined ? [] : [{ start, end, text: text.slice(start, end), data, type: undefined }];
  });
}

/** Server-sent events, JSON lines and parts of the AI SDK, if several: each event's JSON is a part of one stream. */
function eventLines(text: string): readonly Line[] {
  const lines: Line[] = [...longEvents(text)];
  const matches = [...text.matchAll(EVENT_LINE)];
  if (matches.length + lines.length < 2) return [];
  for (const { 0: line, index, groups } of matches) {
    const { json = "", type } = groups ?? {};
    const start = index + line.lastIndexOf(json);
    const end = start + json.length;
    // Lists and texts are lines of other things, too.
    const data = json.startsWith("{") || type !== undefined ? parseEvent(json) : undefined;
    if (data !== undefined) lines.push({ start, end, text: json, data, type });
  }
  return lines.length < 2 ? [] : lines.toSorted((a, b) => a.start - b.start);
}

function eventOf({ data, type }: Line): unknown {
  return type === undefined ? data : { type, value: data };
}

function editsOfLines(lines: readonly Line[], { redactEvents }: TextRules): readonly TextEdit[] {
  if (lines.length === 0) return [];
  const events = lines.map(eventOf);
  const redacted = redactEvents(events);
  return lines.flatMap((line, index) => {
    const after = redacted[index];
    const isPart = line.type !== undefined && isPlainObject(after);
    return after === events[index] ? [] : editOf(line.data, isPart ? after["value"] : after, line);
  });
}

function parseEvent(json: string): unknown {
  return json.startsWith('"') ? parsedJson(json) : parseJson(json);
}

const DATA_LINE = /(?:^|[\r\n])data:(?![^\S\r\n]{0,8}\{[^\r\n]*\}[^\S\r\n]*(?:[\r\n]|$)) ?(?<data>[^\r\n]+)/dg;

/** Lines of server-sent events that are parts of one text, or of one JSON text, without those of the events. */
function dataLines(text: string, events: readonly Line[]): readonly TextEdit[] {
  // A chunk of a stream usually has one.
  if (text.indexOf("data:") === text.lastIndexOf("data:")) return [];
  const lines = [...text.matchAll(DATA_LINE)].flatMap(({ indices }) => {
    const [start, end] = indices?.groups?.["data"] ?? [];
    return start === undefined || end === undefined ? [] : [{ start, end, text: text.slice(start, end) }];
  });
  const ranges = events.map(({ start, end }) => [start, end] as const);
  const texts = outside(lines, ranges);
  return texts.length < 2 ? [] : texts;
}

function editsOfData(lines: readonly TextEdit[], rules: TextRules): readonly TextEdit[] {
  const parts = lines.map((line) => line.text);
  const redacted = parts.length === 0 ? parts : redactParts(parts, rules);
  return lines.flatMap(({ start, end }, index) => {
    const after = redacted[index] ?? "";
    return after === parts[index] ? [] : [{ start, end, text: after }];
  });
}

function editOf(before: unknown, after: unknown, { start, end, text }: TextEdit): readonly TextEdit[] {
  if (before === after) return [];
  const indent = /^[[{]\r?\n([ \t]{1,10})/.exec(text.trimStart())?.[1];
  return [{ start, end, text: JSON.stringify(after, undefined, indent) }];
}

function parseJson(text: string): unknown {
  // A number that JSON.parse would round must not be rounded by hiding its neighbour.
  if (/[:,[]\s{0,8}-?\d{16}/.test(text) || isTooDeep(text)) return undefined;
  const data = parsedJson(text);
  return isArray(data) || isPlainObject(data) ? data : undefined;
}

/** Returns true for a JSON text that nests too deep; brackets inside its texts do not count. */
function isTooDeep(json: string): boolean {
  // Each level has two brackets. The search in each event of a stream took a fifth of recording it.
  if (json.length <= 2 * MAX_DEPTH) return false;
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{}\]]/g)) {
    if (token === "[" || token === "{") depth += 1;
    if (token === "]" || token === "}") depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest > MAX_DEPTH;
}

const COMPONENT = /(?:[\w.~!*'()+-]|%[0-9A-Fa-f]{2})+/y;
const ENCODED = /%[0-9A-Fa-f]{2}/g;
const IN_COMPONENT = /[\w.~!*'()+-]/;

/**
 * The edits for secrets in percent-encoded parts of a text: each is decoded, redacted, and encoded again if it changed.
 */
function editsOfEncoded(text: string, redact: (decoded: string) => string): readonly TextEdit[] {
  if (!text.includes("%")) return [];
  const edits: TextEdit[] = [];
  let from = 0;
  for (const { index } of text.matchAll(ENCODED)) {
    if (index < from) continue;
    let start = index;
    while (start > from && IN_COMPONENT.test(text[start - 1] ?? "")) start -= 1;
    COMPONENT.lastIndex = start;
    const component = COMPONENT.exec(text)?.[0] ?? "";
    from = start + component.length;
    const decoded = decodeComponent(component);
    // A text that decodes to itself is redacted as text, and decoding ends.
    if (decoded === component || decoded === undefined) continue;
    const redacted = redact(decoded);
    if (redacted !== decoded) edits.push({ start, end: from, text: encodeComponent(redacted) });
  }
  return edits;
}

function decodeComponent(component: string): string | undefined {
  try {
    return decodeURIComponent(component.replaceAll("+", "%20"));
  } catch {
    // Percent signs that encode no character, as in "100%25 of 5%c3".
    return undefined;
  }
}

// With the placeholders at the odd indexes.
const BETWEEN_PLACEHOLDERS = new RegExp(`(${PLACEHOLDER})`);

/** Encodes all but the placeholders, which stay what they are everywhere. */
function encodeComponent(text: string): string {
  return text
    .split(BETWEEN_PLACEHOLDERS)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part.toWellFormed())))
    .join("");
}
