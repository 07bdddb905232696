import { types } from "node:util";
import { parseUrl } from "../kernel/parse-url.ts";
import { isArray, isPlainObject, setOwnField } from "../kernel/json/plain-data.ts";
import { isCard, isCardNumber, isNumberName } from "./shape-detectors.ts";
import { type SecretField, fieldOf, headerField, isSecretText, namedField, pairName } from "./field-names.ts";
import { COOKIE_ATTRIBUTES, secretStart } from "./secret-looks.ts";
import type { PathSegment } from "./path-pattern.ts";
import { queryField } from "./key-words.ts";
import { hashOnlyText, isHashOnly, isPlaceholder, urlSafe } from "./placeholder.ts";
import { bytesOfEvent, eventInBytes, isTokenList } from "./redact-chunks.ts";
import { isParameters, redactedPath, urlParts } from "./request-url.ts";
import type { SecretSpan } from "./secret-spans.ts";

/** Context of the redaction of values; every hidden secret is recorded with `path`. */
export interface ValueRules {
  readonly path: PathSegment[];
  readonly lookup: (name: string) => SecretField | undefined;
  readonly find: (text: string) => readonly SecretSpan[];
  readonly hide: (kind: string, secret: string) => string;
  /** Records a secret that its name reveals, so that it is also hidden without a name before it. */
  readonly note: (kind: string, secret: string) => void;
  readonly redactText: (text: string) => string;
  /** Redacts the name of a field. Each name is only searched once in a run. */
  readonly redactName: (name: string) => string;
  readonly redactBytes: (bytes: Buffer) => Buffer;
  /** Redacts items that form one text together. */
  readonly redactPieces: (items: readonly unknown[]) => readonly unknown[];
  /**
   * Hides known secrets of the recording that are split across the items of a list, as a stream's chunks that a step
   * kept.
   */
  readonly redactCut?: ((items: readonly unknown[]) => readonly unknown[]) | undefined;
  readonly isSecretPath: (path: readonly PathSegment[]) => boolean;
  readonly isKeptPath: (path: readonly PathSegment[]) => boolean;
  readonly isHashedPath: (path: readonly PathSegment[]) => boolean;
  /** The replacement of a complete value that a path names. */
  readonly textOf: (value: unknown) => string;
}

/** Depth to which values may nest; the encoding of recorded values allows less. */
const MAX_DEPTH = 1000;

/** Redacts a value; returns the same value if it has no secret. `field` is the meaning of its name. */
export function redactValue(value: unknown, rules: ValueRules, field?: SecretField): unknown {
  if (rules.isKeptPath(rules.path)) return value;
  if (rules.isSecretPath(rules.path)) return hideWhole(value, rules);
  if (rules.isHashedPath(rules.path)) return hashWhole(value, rules, field);
  switch (typeof value) {
    case "string":
      return redactString(value, rules, field);
    case "number":
    case "bigint":
      return isCard(value) && !isNumbered(rules) ? rules.hide("card-number", String(value)) : value;
    case "object":
      return value === null ? null : redactObject(value, rules, field);
    case "boolean":
    case "function":
    case "symbol":
    case "undefined":
      return value;
  }
}

function hideWhole(value: unknown, { hide, textOf }: ValueRules): unknown {
  if (value === undefined || value === null || (typeof value === "string" && isPlaceholder(value))) return value;
  return hide("path", textOf(value));
}

/** Without its secrets first: a password could be guessed from its hash. */
function hashWhole(value: unknown, rules: ValueRules, field: SecretField | undefined): unknown {
  if (value === undefined || value === null || isHashOnly(value)) return value;
  return hashOnlyText(redactValue(value, { ...rules, isHashedPath: () => false }, field));
}

/** Returns true if the name at this path, or that of its list, shows that digits are an identifier. */
function isNumbered({ path }: ValueRules): boolean {
  const name = path.findLast((key) => typeof key === "string");
  return name !== undefined && isNumberName(name);
}

const DIGITS = /^\d{15,19}$/;

/** Returns true if only its digits make a text a card's number, and its name shows that it isn't one. */
function isNumberedCard(text: string, rules: ValueRules): boolean {
  if (text.length > 19 || !DIGITS.test(text) || !isCardNumber(text) || !isNumbered(rules)) return false;
  return rules.find(text).every(({ kind, isRemembered }) => kind === "card-number" && isRemembered !== true);
}

function redactString(text: string, rules: ValueRules, field: SecretField | undefined): string {
  if (field === undefined || !isSecretText(field, text))
    return isNumberedCard(text, rules) ? text : rules.redactText(text);
  if (/^cookies?$/.test(field.kind) && COOKIES.test(text))
    return rules.redactText(text.replaceAll(COOKIE_VALUE, (value) => hideText(value, rules, "cookie")));
  const start = secretStart(text);
  return text.slice(0, start) + hideText(text.slice(start), rules, field.kind);
}

/** A name may be a placeholder: a text that is redacted again doesn't change. */
const COOKIES = /^(?:«redacted:[^»]{1,80}»|[\w!#$%&'*+.^`|~-]){1,128}=/;

/** Values of cookies without the attributes: readers still get names and attributes, `sid=…; Path=/`. */
const COOKIE_VALUE = new RegExp(
  String.raw`(?<=(?:^|[;,])\s{0,4}(?!${COOKIE_ATTRIBUTES}=)[\w!#$%&'*+.^\x60|~-]{1,128}="?)[^"\s;,]+`,
  "gi",
);

function hideText(secret: string, rules: ValueRules, kind: string): string {
  if (isPlaceholder(secret)) return secret;
  // A secret of known shape has the same placeholder under every name.
  const [span] = rules.find(secret);
  const isWhole = span?.start === 0 && span.end === secret.length && span.isRemembered !== true;
  if (!isWhole) rules.note(kind, secret);
  return rules.hide(isWhole ? span.kind : kind, secret);
}

function redactObject(value: object, rules: ValueRules, field: SecretField | undefined): unknown {
  if (rules.path.length > MAX_DEPTH)
    throw new TypeError(
      `can't redact a value nested deeper than ${MAX_DEPTH} levels, or in itself. Flatten it, or turn it ` +
        "into a string",
    );
  if (isArray(value)) return redactItems(value, rules, field);
  if (!isPlainObject(value)) return redactInstance(value, rules);
  const tag: unknown = Object.hasOwn(value, "$t") ? value["$t"] : undefined;
  const isTagged = typeof tag === "string" && Object.hasOwn(value, "v") && Object.keys(value).length === 2;
  return isTagged ? redactTagged(value, tag, rules) : redactFields(value, rules, field);
}

/**
 * Redacts an object that is neither an array nor plain: bytes, Map, Set, URL, Error, and the own fields of others. A
 * changed one is a copy of the same class; its private fields are lost. Dates and objects without fields are returned
 * unchanged.
 */
function redactInstance(value: object, rules: ValueRules): unknown {
  if (types.isUint8Array(value)) return redactOwnBytes(value, rules);
  if (types.isMap(value)) return redactMap(value, rules);
  if (types.isSet(value)) return redactSet(value, rules);
  if (value instanceof URL) return redactUrl(value, rules);
  if (types.isDate(value) || types.isRegExp(value) || ArrayBuffer.isView(value)) return value;
  return redactOwnFields(value, rules);
}

function redactOwnBytes(value: Uint8Array, { redactBytes }: ValueRules): Uint8Array {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const redacted = redactBytes(bytes);
  if (redacted === bytes) return value;
  return Buffer.isBuffer(value) ? redacted : new Uint8Array(redacted);
}

function redactMap(map: ReadonlyMap<unknown, unknown>, rules: ValueRules): ReadonlyMap<unknown, unknown> {
  const entries = [...map].map(([key, value], index) => {
    const name = child(key, { key: index, rules });
    const item = typeof name === "string" ? ownField(value, name, rules) : child(value, { key: index, rules });
    return [name, item] as const;
  });
  const same = [...map].every(([key, value], index) => entries[index]?.[0] === key && entries[index]?.[1] === value);
  return same ? map : new Map(entries);
}

function redactSet(set: ReadonlySet<unknown>, rules: ValueRules): ReadonlySet<unknown> {
  const items = [...set].map((item, key) => child(item, { key, rules }));
  return [...set].every((member, index) => items[index] === member) ? set : new Set(items);
}

function redactUrl(url: URL, rules: ValueRules): unknown {
  const redacted = child(url.href, { key: "href", rules });
  if (redacted === url.href || typeof redacted !== "string") return url;
  const href = urlSafe(redacted);
  return parseUrl(href) ?? redacted;
}

/** An error's message and stack are own fields, too, though hidden ones. */
function redactOwnFields(value: object, rules: ValueRules): object {
  const changed = Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(([name, descriptor]) => {
    if (!("value" in descriptor)) return [];
    const item: unknown = descriptor.value;
    const redacted = ownField(item, name, rules);
    return redacted === item ? [] : [[name, { ...descriptor, value: redacted, configurable: true }] as const];
  });
  if (changed.length === 0) return value;
  const copy = {};
  Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(value));
  return Object.defineProperties(copy, { ...Object.getOwnPropertyDescriptors(value), ...Object.fromEntries(changed) });
}

/** Redacts the value of a name, which may mark it as a secret. */
function ownField(item: unknown, name: string, rules: ValueRules): unknown {
  return child(item, { key: name, rules, field: fieldOf(name, item, rules) });
}

/** The rules for the names in tagged pairs. */
const PAIRED: ReadonlyMap<string, (rules: ValueRules) => ValueRules> = new Map([
  ["map", (rules) => rules],
  ["headers", (rules) => rules],
  ["params", ofParameters],
  ["form", ofParameters],
]);

/** Redacts the `$t`-tagged form of recorded values, whose content must keep its form. */
function redactTagged(value: Readonly<Record<string, unknown>>, tag: string, rules: ValueRules): unknown {
  const { v } = value;
  if (tag === "bytes" && isPlainObject(v) && typeof v["base64"] === "string") return redactTaggedBytes(value, v, rules);
  const names = PAIRED.get(tag)?.(rules);
  if (names !== undefined && isArray(v))
    return withContent(
      value,
      mapItems(v, (pair, index) => redactPair(pair, index, names)),
    );
  if (tag === "bigint")
    return isCardNumber(String(v)) && !isNumbered(rules) ? rules.hide("card-number", String(v)) : value;
  if (tag === "url" && typeof v === "string") {
    const href = urlSafe(rules.redactText(v));
    return parseUrl(href) === undefined ? rules.hide("url", v) : withContent(value, href);
  }
  if (tag === "date" && /^[+-]?[\d:.TZ-]+$/.test(String(v))) return value;
  if ((tag === "list" || tag === "value") && isPlainObject(v)) return withContent(value, redactEncodedParts(v, rules));
  if (tag === "instance" && isPlainObject(v)) return withContent(value, redactInstanceParts(v, rules));
  // The tag is not part of the path: a path names the recorded value, not its encoding.
  if (isPlainObject(v)) return withContent(value, redactFields(v, rules, undefined));
  return withContent(value, isArray(v) ? redactItems(v, rules, undefined) : redactValue(v, rules));
}

function redactInstanceParts(parts: Readonly<Record<string, unknown>>, rules: ValueRules): unknown {
  const { fields, getters } = parts;
  const redacted = [fields, getters].map((part) => (isPlainObject(part) ? redactFields(part, rules, undefined) : part));
  if (redacted[0] === fields && redacted[1] === getters) return parts;
  return { ...parts, fields: redacted[0], ...(getters !== undefined && { getters: redacted[1] }) };
}

/** Redacts the items and properties of a list, or the data of a codec, whose names aren't part of the path. */
function redactEncodedParts(parts: Readonly<Record<string, unknown>>, rules: ValueRules): unknown {
  const redacted = Object.entries(parts).map(([name, part]) => [name, redactValue(part, rules)] as const);
  return redacted.every(([name, part]) => part === parts[name]) ? parts : Object.fromEntries(redacted);
}

function redactTaggedBytes(
  value: object,
  { kind, base64 }: Readonly<Record<string, unknown>>,
  { redactBytes }: ValueRules,
): unknown {
  if (!/^(?:Buffer|ArrayBuffer|Uint8Array)$/.test(String(kind))) return value;
  const bytes = Buffer.from(String(base64), "base64");
  const redacted = redactBytes(bytes);
  return redacted === bytes ? value : { ...value, v: { kind, base64: redacted.toString("base64") } };
}

function redactPair(pair: unknown, index: number, rules: ValueRules): unknown {
  if (!isArray(pair) || pair.length !== 2) return child(pair, { key: index, rules });
  const [key, item] = pair;
  const name = child(key, { key: index, rules });
  const redacted = child(item, {
    key: typeof key === "string" ? key : index,
    rules,
    field: fieldOf(name, item, rules),
  });
  return name === key && redacted === item ? pair : [name, redacted];
}

function withContent(value: Readonly<Record<string, unknown>>, v: unknown): unknown {
  return v === value["v"] ? value : { ...value, v };
}

function redactItems(items: readonly unknown[], rules: ValueRules, field: SecretField | undefined): readonly unknown[] {
  const spelt = isTokenList(items) ? rules.redactPieces(items) : items;
  const joined = isCommand(spelt) ? redactCommand(spelt, rules) : spelt;
  const whole = rules.redactCut?.(joined) ?? joined;
  return mapItems(whole, (item, index) =>
    child(item, { key: index, rules, field: headerField(whole, index, rules) ?? field }),
  );
}

/** Returns true if items are the program and the arguments of a command, with a short option: `["mysql", "-pX"]`. */
export function isCommand(items: readonly unknown[]): items is readonly string[] {
  return (
    items.length > 1 &&
    items.length <= 64 &&
    items.every((item) => typeof item === "string") &&
    items.some((item) => /^-[A-Za-z]/.test(item))
  );
}

/** Redacts the arguments of a command together: a form of line may need its program. */
function redactCommand(items: readonly string[], { redactPieces }: ValueRules): readonly unknown[] {
  const pieces = redactPieces(items.flatMap((item) => [item, " "]));
  const redacted = pieces.filter((_piece, index) => index % 2 === 0);
  return redacted.every((piece, index) => piece === items[index]) ? items : redacted;
}

function redactFields(
  fields: Readonly<Record<string, unknown>>,
  rules: ValueRules,
  field: SecretField | undefined,
): unknown {
  const containerField =
    field?.secrecy === "container" && !isSchema(fields) ? { ...field, secrecy: "always" as const } : undefined;
  // In a list of cookies, the value of a cookie is secret, not its domain and path.
  const isPair = typeof pairName(fields, "value") === "string" && typeof fields["value"] === "string";
  let copy: Record<string, unknown> | undefined;
  const names = Object.keys(fields);
  const url = urlParts(fields);
  for (const [index, name] of names.entries()) {
    const item = url?.name === name ? redactedPath(url, rules.redactText) : wholeField(fields, name, rules);
    // A name is judged as it will be written, or redacting again would judge another one.
    const key = rules.redactName(name);
    const inherited = isPair && key !== "value" ? undefined : containerField;
    const redacted = child(item, {
      key: name,
      rules: url !== undefined && isParameters(name) ? ofParameters(rules) : rules,
      field: inherited ?? namedField(fields, { key, item }, rules),
    });
    if (redacted === fields[name] && key === name && copy === undefined) continue;
    copy ??= Object.fromEntries(names.slice(0, index).map((before) => [before, fields[before]]));
    setOwnField(copy, key, redacted);
  }
  return copy ?? fields;
}

function ofParameters(rules: ValueRules): ValueRules {
  return { ...rules, lookup: (name) => rules.lookup(name) ?? queryField(name) };
}

/** The value of a field whose parts, or whose encoding, only show their secrets together. */
function wholeField(fields: Readonly<Record<string, unknown>>, name: string, rules: ValueRules): unknown {
  const item = fields[name];
  if (name === "tokens" && isArray(item) && isArray(fields["token_logprobs"])) return rules.redactPieces(item);
  if (name !== "bytes" || typeof item !== "string") return item;
  const event = eventInBytes(item);
  if (event === undefined) return item;
  const redacted = redactValue(event, rules);
  return redacted === event ? item : bytesOfEvent(redacted);
}

/** A JSON Schema describes a secret; it does not contain one. */
function isSchema({ type, $ref, anyOf, oneOf, properties }: Readonly<Record<string, unknown>>): boolean {
  const isType = typeof type === "string" && /^(?:string|number|integer|boolean|object|array|null)$/.test(type);
  return isType || isArray(type) || [$ref, anyOf, oneOf, properties].some((part) => part !== undefined);
}

interface Child {
  readonly key: PathSegment;
  readonly rules: ValueRules;
  readonly field?: SecretField | undefined;
}

function child(item: unknown, { key, rules, field }: Child): unknown {
  rules.path.push(key);
  const redacted = redactValue(item, rules, field);
  rules.path.pop();
  return redacted;
}

function mapItems(items: readonly unknown[], redact: (item: unknown, index: number) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const redacted = redact(item, index);
    if (redacted === item) continue;
    copy ??= items.slice();
    copy[index] = redacted;
  }
  return copy ?? items;
}
