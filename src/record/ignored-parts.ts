import { isArray, isPlainObject, parsedJson, setOwnField } from "../kernel/json/plain-data.ts";
import { type IgnoreRule, ignoreRuleName } from "../kernel/ignore-rule.ts";
import { type PathSegment, pathLeader, pathMatcher } from "../redact/path-pattern.ts";
import { withoutXmlParts } from "./xml-parts.ts";
import { tagged } from "./encode/tagged.ts";

/** Text in the position of an ignored part of a string. */
const IGNORED = "…";

interface ParsedRule {
  readonly name: string;
  /** Regular expression of the ignored part of a string; undefined if the complete value is ignored. */
  readonly match: RegExp | undefined;
  readonly isAt: (path: readonly PathSegment[]) => boolean;
  readonly leadsBelow: (path: readonly PathSegment[]) => boolean;
}

/**
 * Makes the function that removes the ignored parts of a request at a path: fields are dropped, items of a list become
 * a mark, parts of strings become `…`. Paths also lead into JSON and XML in strings. `onMatch` gets the name of each
 * rule that matched. Returns the same value if no rule matches.
 */
export function ignoredPartsRemover(
  rules: readonly IgnoreRule[],
  onMatch: (rule: string) => void,
): (request: unknown, path: readonly PathSegment[]) => unknown {
  if (rules.length === 0) return (request) => request;
  const remover = new Remover(rules.map(parsedRule), onMatch);
  return (request, path) => remover.without(request, [...path], []);
}

function parsedRule(rule: IgnoreRule): ParsedRule {
  const { path, match } = typeof rule === "string" ? { path: rule, match: undefined } : rule;
  return {
    name: ignoreRuleName(rule),
    match: match && new RegExp(match.source, match.flags.includes("g") ? match.flags : `${match.flags}g`),
    isAt: pathMatcher([path]),
    leadsBelow: pathLeader([path]),
  };
}

class Remover {
  readonly #rules: readonly ParsedRule[];
  readonly #onMatch: (rule: string) => void;

  constructor(rules: readonly ParsedRule[], onMatch: (rule: string) => void) {
    this.#rules = rules;
    this.#onMatch = onMatch;
  }

  /** `above` has the rules for strings whose path is this one or leads to it. */
  without(value: unknown, path: PathSegment[], above: readonly ParsedRule[]): unknown {
    const here = this.#stringRulesAt(path);
    const inStrings = here.length === 0 ? above : [...above, ...here];
    if (typeof value === "string") return this.#inText(value, path, inStrings);
    if (isArray(value)) {
      const items = value.map((item, index) => this.#member(item, [path, index], inStrings));
      const isSame = items.every((item, index) => item?.value === value[index] && item !== undefined);
      return isSame ? value : items.map((item) => (item === undefined ? tagged("omitted", "ignored") : item.value));
    }
    if (!isPlainObject(value)) return value;
    const fields: Record<string, unknown> = {};
    let isSame = true;
    for (const [name, item] of Object.entries(value)) {
      const kept = this.#member(item, [path, name], inStrings);
      if (kept !== undefined) setOwnField(fields, name, kept.value);
      isSame &&= kept?.value === item && kept !== undefined;
    }
    return isSame ? value : fields;
  }

  /** Undefined if the complete member is ignored. */
  #member(
    value: unknown,
    [path, key]: readonly [PathSegment[], PathSegment],
    inStrings: readonly ParsedRule[],
  ): { readonly value: unknown } | undefined {
    path.push(key);
    const rule = this.#rules.find(({ match, isAt }) => match === undefined && isAt(path));
    const kept = rule === undefined ? { value: this.without(value, path, inStrings) } : undefined;
    path.pop();
    if (rule !== undefined) this.#onMatch(rule.name);
    return kept;
  }

  #inText(text: string, path: PathSegment[], rules: readonly ParsedRule[]): string {
    let kept = /^\s*</.test(text) ? this.#inXml(text, path) : this.#inJson(text, path);
    for (const { name, match = /(?:)/ } of rules) {
      // An empty match isn't a part of a string.
      kept = kept.replace(match, (part) => {
        if (part === "") return part;
        this.#onMatch(name);
        return IGNORED;
      });
    }
    return kept;
  }

  #inXml(text: string, path: PathSegment[]): string {
    if (!this.#leadsBelow(path)) return text;
    return withoutXmlParts(text, {
      isRemoved: (names) => this.#member("", [[...path, ...names.slice(0, -1)], names.at(-1) ?? ""], []) === undefined,
      textOf: (part, names) => {
        const at = [...path, ...names];
        return this.#inText(part, at, this.#stringRulesAt(at));
      },
    });
  }

  #stringRulesAt(path: PathSegment[]): readonly ParsedRule[] {
    return this.#rules.filter(({ match, isAt }) => match !== undefined && isAt(path));
  }

  #leadsBelow(path: PathSegment[]): boolean {
    return this.#rules.some(({ leadsBelow }) => leadsBelow(path));
  }

  /** Written again only if a rule matches a part of it. */
  #inJson(text: string, path: PathSegment[]): string {
    if (!/^\s*[[{]/.test(text) || !this.#leadsBelow(path)) return text;
    const data = parsedJson(text);
    if (!isArray(data) && !isPlainObject(data)) return text;
    const kept = this.without(data, path, []);
    return kept === data ? text : JSON.stringify(kept);
  }
}
