import { stableStringify } from "../kernel/json/canonical-json.ts";
import { formatPath } from "../kernel/text.ts";
import { fieldRules } from "./field-names.ts";
import { findSpans, mayContainSecret } from "./find-spans.ts";
import { type QuickRules, SilentTexts, hasNoSecret, streamHasNoSecret } from "./has-no-secret.ts";
import { type KnownSecret, knownTextFinder } from "./known-values.ts";
import { namesField } from "./find-named.ts";
import { mayNameSecret } from "./key-words.ts";
import { type PathSegment, pathMatcher } from "./path-pattern.ts";
import { mayContainPlaceholder, placeholderOf, placeholdersIn } from "./placeholder.ts";
import { RevealedSecrets } from "./revealed-secrets.ts";
import { PlaceholderNumbers } from "./placeholder-numbers.ts";
import { closedChunks, openedChunks, redactAcrossChunks, redactByteParts } from "./redact-chunks.ts";
import { type TextRules, redactParts } from "./redact-parts.ts";
import { type ValueRules, redactValue } from "./redact-value.ts";
import { acrossParts, editParts, joinSpans, outside } from "./secret-spans.ts";

/** Secrets to redact in addition to those that are recognized. */
export interface RedactorOptions {
  /**
   * Names of more fields whose strings are secrets. Case and separators don't matter: `memberNumber` also matches
   * `member_number`.
   */
  readonly fields?: readonly string[] | undefined;
  /**
   * Dotted paths of secret values: `input.user.email`, `**.ssn`. `*` matches one name or index, `**` any number of
   * them.
   */
  readonly paths?: readonly string[] | undefined;
  /** Secrets known by their text, also matched in base64 and encoded for URLs or JSON. See `secretVariables`. */
  readonly values?: readonly KnownSecret[] | undefined;
  /**
   * Dotted paths, as in `paths`, of values to store only as a hash: `document`, `llm.complete.response`,
   * `output.transcript`. Secrets are redacted before hashing, so the hash is the same on all machines.
   */
  readonly hashOnly?: readonly string[] | undefined;
  /** Regular expressions, as strings without flags, of the secret parts of strings: `MEMBER-\\d{6}`. */
  readonly patterns?: readonly string[] | undefined;
  /** Functions that return the secret parts of a string. */
  readonly custom?: readonly ((text: string) => readonly string[])[] | undefined;
  /** Names of fields, or dotted paths, whose values are never redacted. */
  readonly keep?: readonly string[] | undefined;
}

/** A secret that was replaced. */
export interface RedactedSecret {
  readonly kind: string;
  /** Path of the value, as `formatPath` writes it. For a value in a JSON string, the path of that string. */
  readonly path: string;
}

/** A value without its secrets, and the secrets that were found in it. */
export interface Redacted<T = unknown> {
  /** The given value if it has no secret, or a copy without secrets. */
  readonly value: T;
  readonly secrets: readonly RedactedSecret[];
}

/**
 * Replaces secrets by placeholders such as `«redacted:<kind>#<number>»`. Equal secrets get the same number, in the
 * order in which this redactor first sees them. Redacting a value twice has the same result as redacting it once.
 */
export interface Redactor {
  /**
   * Redacts data, recorded (`$t`-tagged) or not: texts, names of fields, bytes, Map, Set, Error, URL. `at` is the path
   * of the value, for `paths` and `keep`. Throws a TypeError for a value nested in itself.
   */
  readonly redact: (value: unknown, at?: readonly PathSegment[]) => Redacted;
  /**
   * Redacts the chunks of one stream, also secrets that are split between them; the number of chunks stays the same.
   */
  readonly redactChunks: (chunks: readonly unknown[], at?: readonly PathSegment[]) => Redacted<readonly unknown[]>;
  /** Redacts a text: prose, JSON, headers, URLs, server-sent events. */
  readonly redactText: (text: string) => string;
}

/**
 * Creates a redactor. `secretsHere` returns the secrets of the current recording, if any: they are hidden, too, and new
 * secrets are added to them.
 *
 * @example
 * const { redact } = createRedactor({ values: secretVariables(process.env) });
 * redact({ authorization: "Bearer abc" }).value; // { authorization: "Bearer «redacted:authorization#1»" }
 */
export function createRedactor(
  options: RedactorOptions = {},
  secretsHere: () => RevealedSecrets | undefined = () => undefined,
): Redactor {
  const { fields = [], keep = [] } = options;
  const keptNames = keep.filter((name) => !/[.[*]/.test(name));
  const lookup = fieldRules(fields, keptNames);
  const known = knownTextFinder(options);
  const namesParts = (options.custom ?? []).length + (options.patterns ?? []).length > 0;
  const knowsTexts = (options.values ?? []).length > 0 || namesParts;
  const shared: SharedRules = {
    isPlain: knowsTexts ? () => false : isPlainText,
    plainTexts: new Set(),
    lookup,
    find: (text) => findSpans(text, { lookup, known }),
    namesSecret: (text) => namesField(text, lookup),
    isSecretPath: pathMatcher(options.paths ?? []),
    isKeptPath: pathMatcher([...keptNames.map((name) => `**.${name}`), ...keep]),
    isHashedPath: pathMatcher(options.hashOnly ?? []),
    hasPaths: [options.paths, options.keep, options.hashOnly].some((paths) => (paths ?? []).length > 0),
  };
  const within = coveringRules(shared);
  const silentNames = new Set<string>();
  const silentTexts = new SilentTexts();
  const passed: unknown[] = [];
  let quick: QuickRules | undefined;
  // Rules by path depend on the path, and the user's functions on the boundaries of a text.
  const isQuick = !shared.hasPaths && !namesParts;
  const numbers = new PlaceholderNumbers();
  const here = (): RevealedSecrets => secretsHere() ?? new RevealedSecrets(numbers);
  const mayContain = (text: string): boolean =>
    mayContainPlaceholder(text) || mayContainSecret(text, { known, lookup });
  const mayName = (text: string): boolean => mayNameSecret(text, lookup);
  const isQuicklyPassed = <T>(value: T, passes: (value: T, rules: QuickRules) => boolean): boolean => {
    // Known secrets of a recording may be split across a list's items, which are searched one by one here.
    if (!isQuick || (secretsHere()?.size ?? 0) > 0) return false;
    quick ??= { ...valueRules(shared, []), mayContain, mayName, silentNames, silentTexts, passed };
    if (passes(value, quick)) return true;
    // It has noted the secrets of this value.
    quick = undefined;
    return false;
  };
  return {
    redact: (value, at = []) =>
      isQuicklyPassed(value, hasNoSecret)
        ? { value, secrets: [] }
        : twice(value, { shared: within(at), at, secrets: here() }, redactValue),
    redactChunks: (chunks, at = []) => {
      passed.length = 0;
      if (!isQuicklyPassed(chunks, streamHasNoSecret))
        return twice(chunks, { shared: within(at), at, secrets: here() }, redactStream);
      for (const chunk of chunks) passed.push(chunk);
      return { value: chunks, secrets: [] };
    },
    redactText: (text) =>
      isQuicklyPassed(text, hasNoSecret)
        ? text
        : twice(text, { shared, at: [], secrets: here() }, (content, rules) => rules.redactText(content)).value,
  };
}

function joined(...finders: readonly SharedRules["find"][]): SharedRules["find"] {
  return (text) => finders.flatMap((find) => find(text));
}

/** Rules and path of a redaction. */
interface Redaction {
  readonly shared: SharedRules;
  readonly at: readonly PathSegment[];
  /** Those of the recording that is made; outside of every one, none that is known. */
  readonly secrets: RevealedSecrets;
}

/** Redacts, and again if a name revealed a secret that may also appear without a name: in a sentence, a URL. */
function twice<T, R extends T>(
  value: T,
  { shared, at, secrets }: Redaction,
  redact: (value: T, rules: WalkRules) => R,
): Redacted<R> {
  const findings: RedactedSecret[] = [];
  const known = secrets.size;
  const walk = (seen: T): R => redact(seen, valueRules(withSecrets(shared, secrets), at, { found: findings, secrets }));
  const once = walk(value);
  return { value: secrets.size === known ? once : walk(once), secrets: findings };
}

/** The rules with the known secrets of a recording. */
function withSecrets(shared: SharedRules, secrets: RevealedSecrets): SharedRules {
  if (secrets.size === 0) return shared;
  const find = joined(shared.find, secrets.find);
  return {
    ...shared,
    isPlain: (text) => shared.isPlain(text) && secrets.find(text).length === 0,
    plainTexts: new Set(),
    find: (text) => joinSpans(outside(find(text), placeholdersIn(text))),
  };
}

type SharedRules = Pick<
  ValueRules & TextRules & QuickRules,
  "isPlain" | "lookup" | "find" | "namesSecret" | "isSecretPath" | "isKeptPath" | "isHashedPath"
> & {
  /** True if any path is configured. */
  readonly hasPaths: boolean;
  /** Names of fields, and short texts, without a secret: those of a run are repeated often. */
  readonly plainTexts: Set<string>;
};

/** Returns the rules at a path: a rule for a path also applies below it. */
function coveringRules(shared: SharedRules): (at: readonly PathSegment[]) => SharedRules {
  if (!shared.hasPaths) return () => shared;
  return (at) => {
    const covers = (isNamed: SharedRules["isKeptPath"]): SharedRules["isKeptPath"] => {
      const above = at.some((_segment, index) => index > 0 && isNamed(at.slice(0, index)));
      return above ? () => true : isNamed;
    };
    const { isKeptPath, isSecretPath, isHashedPath } = shared;
    return {
      ...shared,
      isKeptPath: covers(isKeptPath),
      isSecretPath: covers(isSecretPath),
      isHashedPath: covers(isHashedPath),
    };
  };
}

type WalkRules = ValueRules & TextRules & Pick<QuickRules, "isPlain">;

/** Records of a walk: the secrets it hid, and those that a name revealed. */
interface Notes {
  readonly found: RedactedSecret[];
  readonly secrets: RevealedSecrets;
}

/** The rules of one walk over a value: they track its path, and record the secrets they hide. */
function valueRules(
  shared: SharedRules,
  at: readonly PathSegment[],
  { found: findings, secrets }: Notes = { found: [], secrets: new RevealedSecrets() },
): WalkRules {
  const path = [...at];
  const { plainTexts } = shared;
  const redactUnknown = (text: string): string => {
    const isShort = text.length <= MAX_PLAIN;
    if (isShort && plainTexts.has(text)) return text;
    const redacted = redactParts([text], rules)[0] ?? text;
    if (isShort && redacted === text) {
      if (plainTexts.size >= MAX_NAMES) plainTexts.clear();
      plainTexts.add(text);
    }
    return redacted;
  };
  const rules: WalkRules = {
    ...shared,
    path,
    note: (kind, secret) => secrets.note(kind, secret),
    hide: (kind, secret) => {
      findings.push({ kind, path: formatPath(path) });
      if (kind === "card-number") secrets.note(kind, secret);
      return placeholderOf(kind, secrets.numbers.of(kind, secret));
    },
    textOf: (value) => (typeof value === "string" ? value : stableStringify(value)),
    redactText: (text) => (shared.isPlain(text) ? text : redactUnknown(text)),
    redactName: (name) => redactUnknown(name),
    redactBytes: (bytes) => redactByteParts([bytes], (parts) => redactParts(parts, rules))[0] ?? bytes,
    redactPieces: (items) => redactTogether(items, rules),
    redactData: (data) => redactValue(data, rules),
    redactEvents: (events) => redactStream(events, rules),
    ...(secrets.size > 0 && { redactCut: (items) => redactCut(items, { find: secrets.find, hide: rules.hide }) }),
  };
  return rules;
}

// Enough for the fields of all that a run records.
const MAX_NAMES = 2000;

/** Longer texts are rarely repeated. */
const MAX_PLAIN = 48;

/** Returns true if a text is too short and too plain for any secret with a known form. */
function isPlainText(text: string): boolean {
  return text.length < 15 && !/[:=]|[^\0-\u00ff]/.test(text);
}

/** Applies only known secrets: items that don't belong together may look like a secret by chance. */
function redactCut(
  items: readonly unknown[],
  { find, hide }: { readonly find: SharedRules["find"]; readonly hide: WalkRules["hide"] },
): readonly unknown[] {
  const cut = (parts: readonly string[]): readonly string[] => {
    const text = parts.join("");
    const spans = acrossParts(find(text), parts);
    return editParts(
      parts,
      spans.map((span) => ({ ...span, text: hide(span.kind, text.slice(span.start, span.end)) })),
    );
  };
  return redactAcrossChunks(items, {
    isHidden: () => false,
    redactParts: cut,
  });
}

function redactStream(chunks: readonly unknown[], rules: ValueRules & TextRules): readonly unknown[] {
  if (rules.isKeptPath(rules.path)) return chunks;
  // A path that covers a complete stream: each chunk gets the placeholder of the stream.
  if (rules.isSecretPath(rules.path) || rules.isHashedPath(rules.path)) {
    const whole = redactValue(chunks, rules);
    return chunks.map(() => whole);
  }
  const opened = openedChunks(chunks) ?? chunks;
  const across = redactTogether(opened, rules);
  const value = redactValue(across, rules);
  const redacted: readonly unknown[] = Array.isArray(value) ? value : across;
  return opened === chunks ? redacted : closedChunks(chunks, { opened, redacted });
}

function redactTogether(pieces: readonly unknown[], rules: ValueRules & TextRules): readonly unknown[] {
  return redactAcrossChunks(pieces, {
    isHidden: (name) => rules.lookup(name)?.secrecy === "always",
    redactParts: (parts) => redactParts(parts, rules),
  });
}
