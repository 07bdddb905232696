import type { SourceFile } from "./list-twins.ts";
import { type DeclaredName, type Prose, readNames, readProse } from "./read-prose.ts";

/** A use of a word that stays, because it isn't ours to choose. */
export interface WordingException {
  readonly path: string;
  /** The matched text, as the check reports it. */
  readonly text: string;
  readonly reason: string;
}

/** Most exceptions that the project allows itself. */
export const MAX_EXCEPTIONS = 20;

interface ProseRule {
  readonly pattern: RegExp;
  readonly advice: string;
}

/** A passive verb with the adverbs that may stand inside it. */
const PASSIVE = "(?:is|are|was|were|be|been|being|gets?)(?:\\s+(?:\\w+ly|also|always|ever|never|not|only|then))?";
/** A subject behind which "where" can only mean "if". */
const NOT_A_LOCATION = "(?:there|nobody|nothing|none|somebody|neither|no)";

const PROSE_RULES: readonly ProseRule[] = [
  {
    pattern: new RegExp(
      `\\b(?:undefined|true|false|null|absent|empty|none|nothing|only|except|not|error|fails|throws)` +
        `\\s+where\\b|\\bwhere\\s+${NOT_A_LOCATION}\\b|[,;:]\\s+where\\s+(?:it|they|that)\\b`,
      "gi",
    ),
    advice: 'write "if" for a condition',
  },
  {
    pattern: /(?<=^\s*|[.!?:]\s+|\n\s*\n\s*)(?:What|Of|Else|Who|Whose)\s(?![^.]*\?)/g,
    advice: "begin with the subject",
  },
  {
    pattern: new RegExp(`\\b${PASSIVE}\\s+(?:told|said)\\b`, "gi"),
    advice: 'write who reports it: "veritest reports …"',
  },
  {
    pattern: /(?<!there\s)\b(?:is|are|was|were)\s+no\s+(?!longer|more|less|fewer|later|earlier|different)\w+/gi,
    advice: `write "isn't a" or "doesn't have"`,
  },
  {
    pattern:
      /\bnobody\b|\bnothing\s+(?:is|was|has|had|can|could|may|might|must|will|does|did|changes|happens|else)\b/gi,
    advice: 'name the subject: "the run doesn\'t …"',
  },
  {
    pattern: /\b(?:anew|mend(?:s|ed|ing)?|beside|as\s+ever|any\s+more|by\s+itself|of\s+its\s+own|leads?\s+nowhere)\b/gi,
    advice: "write it in plain words",
  },
  { pattern: /\b(?:whole(?!\s+numbers?\b)|lies|stands)\b/gi, advice: "write it in plain words" },
  {
    pattern: /\b(?:is|are|was|were|comes?|came|goes|went)\s+otherwise\b/gi,
    advice: 'write "differently", or what it is',
  },
];

/** Words of names that the glossary replaces, with what it has for them. */
const NAME_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "settle settles settled settling settlement settler": "apply, accept or reject",
    "held holding holds": "pending, skipped, or has",
    "told said says say": "report, print or show",
    "asked asks ask": "call, request or expected",
    "waits waiting": "pending",
    "mend mends mended": "fix",
    "proposal proposals proposed": "update",
    "sweep sweeps swept": "checkAll",
    "world worlds": "context",
    "place places placed": "path, directory, location or span",
    "room rooms": "directory or width",
    "standing standings stands": "state or status",
    "miss misses missed": "unrecorded request",
    "orphan orphans stray strays": "obsolete",
    "tape tapes taped": "recorder",
    "standin standins": "stub",
    "law laws": "property",
    drawn: "generated",
    late: "lazy",
    beside: "next to, or also",
    otherwise: "fallback, or what it is",
    anew: "again",
    "hear hears heard hearing": "listener, or received",
  }).flatMap(([words, instead]) => words.split(" ").map((old) => [old, instead] as const)),
);
/** Words that have a meaning of their own in an extra, such as the answers of grounding, but not in these folders. */
const CALL_WORDS: ReadonlySet<string> = new Set("answer answers answered answering".split(" "));
const CALL_FOLDERS = /^src\/(?:record|check|baseline|redact)\//;
/** Names that don't describe their value. */
const EMPTY_LOCALS = new Set("found asked told given shown taken stands come others one".split(" "));

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/[sS]tand-?[iI]n/g, "Standin")
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .map((part) => part.toLowerCase());

interface Finding {
  readonly path: string;
  readonly offset: number;
  readonly text: string;
  readonly advice: string;
}

function inProse(path: string, { text, offset }: Prose): readonly Finding[] {
  return PROSE_RULES.flatMap(({ pattern, advice }) =>
    [...text.matchAll(pattern)].map((match) => ({
      path,
      offset: offset + match.index,
      text: match[0].trim().replace(/\s+/g, " "),
      advice,
    })),
  );
}

function inName(path: string, { isLocal, name, offset }: DeclaredName): readonly Finding[] {
  if (isLocal && EMPTY_LOCALS.has(name)) return [{ path, offset, text: name, advice: "say what the value is" }];
  if (CALL_FOLDERS.test(path) && wordsOf(name).some((part) => CALL_WORDS.has(part)))
    return [{ path, offset, text: name, advice: "the glossary has response" }];
  const old = wordsOf(name).find((part) => NAME_WORDS.has(part));
  return old === undefined
    ? []
    : [{ path, offset, text: name, advice: `the glossary has ${NAME_WORDS.get(old) ?? ""}` }];
}

function inPath(path: string): readonly Finding[] {
  const name = path.replace(/^.*\//, "");
  return inName(path, { isLocal: false, name: name.replace(/\.\w+$/, ""), offset: 0 }).map((at) => ({
    ...at,
    text: name,
  }));
}

/** Reports the sentences and names of files that break LANGUAGE's decidable rules, and exceptions of no use. */
export function listWording(
  files: readonly SourceFile[],
  exceptions: readonly WordingException[] = [],
): readonly string[] {
  const used = new Set<WordingException>();
  const isAllowed = ({ path, text }: Finding): boolean => {
    const match = exceptions.find((exception) => exception.path === path && exception.text === text);
    if (match !== undefined) used.add(match);
    return match !== undefined;
  };
  const lines = files.flatMap((file) => {
    const { path, text } = file;
    const findings = [
      ...readProse(file).flatMap((prose) => inProse(path, prose)),
      ...readNames(file).flatMap((name) => inName(path, name)),
      ...inPath(path),
    ];
    return findings
      .filter((finding) => !isAllowed(finding))
      .sort((a, b) => a.offset - b.offset)
      .map((finding) => {
        const line = text.slice(0, finding.offset).split("\n").length;
        return `${path}:${String(line)} has "${finding.text}": ${finding.advice}.`;
      });
  });
  const checked = new Set(files.map(({ path }) => path));
  const idle = exceptions
    .filter((exception) => checked.has(exception.path) && !used.has(exception))
    .map(({ path, text }) => `The exception for "${text}" in ${path} isn't needed: remove it.`);
  const excess =
    exceptions.length > MAX_EXCEPTIONS
      ? [`${String(exceptions.length)} exceptions of ${String(MAX_EXCEPTIONS)}: reword one.`]
      : [];
  return [...lines, ...idle, ...excess];
}
