import { type Draw, drawOf } from "./draw.ts";
import type { Scene } from "./behaviour.ts";
import type { SceneMaker } from "./step-changes.ts";

const RECORDED = { matcher: "step", mode: "replay" } as const;
const LIVE = { matcher: "step", mode: "live" } as const;
const TYPED = { schema: "typed" } as const;

/** Placeholders are numbers by first appearance: another secret in the place of one is the same text. */
const SAME_TEXT: ReadonlySet<string> = new Set([
  "another",
  "another, by its field",
  "another in a call",
  "another in commands",
  "another in events",
  "two change places",
]);

/** What breaks schemas, ends in errors, lies outside of tolerances, or is a secret and another one then. */
export const BROKEN_CHANGES: Readonly<Record<string, SceneMaker>> = {
  "schema: the code breaks it": () => [
    { ...RECORDED, before: TYPED, after: { ...TYPED, edit: { total: "much" } }, cause: "code" },
  ],
  "schema: the model breaks it": ({ found }) => [
    { ...LIVE, before: TYPED, after: { ...TYPED, answer: { ...found, total: "much" } }, cause: "model" },
  ],
  "schema: a field gone": ({ found: { company: _gone, ...rest } }) => [
    { ...RECORDED, before: TYPED, after: { ...TYPED, output: { ...rest, total: null } }, cause: "code" },
  ],
  "schema: tighter": () => [{ ...RECORDED, before: TYPED, after: { schema: "tight" }, cause: "schema" }],
  "schema: input read otherwise": () => [{ ...RECORDED, after: { input: "trimmed" }, cause: "schema" }],
  "schema: input refused": () => [{ ...RECORDED, after: { input: "needs" }, cause: "schema" }],
  "error: the step fails": () => inEachMode({ ends: "fail" }),
  "error: the step throws": () => inEachMode({ ends: "throw" }),
  "error: the model is down": () => [{ ...LIVE, after: { ends: "model" }, cause: "none" }],
  "error: a tool is down": () => [{ ...LIVE, after: { ends: "tool" } }],
  ...ofSecrets(false),
  "tolerance: number outside": ({ found }) => edited({ total: found.total + 0.07 }, "near"),
  "tolerance: prose outside": () => edited({ summary: "Quite another text, in which no word is as it was." }, "alike"),
  "tolerance: not one of them": () => edited({ state: "unknown" }, "among"),
  "tolerance: text outside of the pattern": () => edited({ date: "soon" }, "pattern"),
  "tolerance: another field than the rule's": () => edited({ company: "Another" }, "skip"),
  "tolerance: one inside, one change": ({ found }) => edited({ total: found.total + 0.01, company: "Another" }, "near"),
  "tolerance: another field of elements": ({ found }) =>
    edited({ entities: found.entities.map((one) => ({ ...one, kind: "other" })) }, "texts"),
  "tolerance: field gone, where a number may vary": ({ found: { total: _gone, ...rest } }) => [
    { ...RECORDED, rules: "near", after: { output: rest }, cause: "code" },
  ],
};

function inEachMode(after: Scene["after"]): readonly Scene[] {
  return [
    { ...RECORDED, after, cause: "code" },
    { ...LIVE, after, cause: "code" },
    { matcher: "replay", mode: "replay", after },
  ];
}

function edited(edit: object, rules: string): readonly Scene[] {
  return [
    { ...RECORDED, rules, after: { edit }, cause: "code" },
    { ...LIVE, rules, after: { edit }, cause: "code" },
  ];
}

const LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A token such as a code host gives out, and that nobody was ever given. */
function tokenOf(generated: Draw): string {
  return `ghp_${Array.from({ length: 36 }, () => LETTERS[generated.below(LETTERS.length)]).join("")}`;
}

/** Two tokens of a document, and the scenes that are told them. */
/** Returns the classes of secrets that are clean, or those that aren't. */
export function ofSecrets(isClean: boolean): Readonly<Record<string, SceneMaker>> {
  const output = (before: object, after: object): readonly Scene[] => [
    { ...RECORDED, before: { edit: before }, after: { edit: after }, cause: "code" },
    { matcher: "value", mode: "replay", before: { edit: before }, after: { edit: after } },
    { matcher: "replay", mode: "replay", before: { edit: before }, after: { edit: after } },
  ];
  const made: Readonly<Record<string, (one: string, other: string) => readonly Scene[]>> = {
    another: (one, other) => output({ note: `use ${one}` }, { note: `use ${other}` }),
    "another, by its field": (one, other) => output({ apiKey: one.slice(9, 30) }, { apiKey: other.slice(9, 30) }),
    "of another kind": (one) => output({ note: `use ${one}` }, { note: `use AKIA${one.slice(8, 24).toUpperCase()}` }),
    "two, then one twice": (one, other) => output({ a: one, b: other }, { a: one, b: one }),
    "two change places": (one, other) => output({ a: one, b: other }, { a: other, b: one }),
    gone: (one) => output({ note: `use ${one}` }, { note: "use nothing" }),
    "plain text, then one": (one) => output({ note: "use nothing" }, { note: `use ${one}` }),
    "words around it": (one) => output({ note: `use ${one}` }, { note: `never use ${one}` }),
    "another in events": (one, other) =>
      both((token) => ({ events: [{ type: "told", payload: { token } }] }), one, other),
    "another in commands": (one, other) =>
      both((token) => ({ commands: [{ type: "emit", topic: "told", payload: { text: token } }] }), one, other),
    "another in a call": (one, other) =>
      both((token) => ({ calls: [{ tool: "post", request: { text: token } }] }), one, other),
  };
  return Object.fromEntries(
    Object.entries(made)
      .filter(([name]) => SAME_TEXT.has(name) === isClean)
      .map(([name, scenes]): [string, SceneMaker] => [
        `secret: ${name}`,
        ({ found }) => {
          const all = scenes(tokenOf(drawOf("one", found.summary)), tokenOf(drawOf("other", found.summary)));
          return isClean ? all.map(({ cause: _cause, ...scene }) => scene) : all;
        },
      ]),
  );
}

function both(make: (token: string) => Scene["after"], one: string, other: string): readonly Scene[] {
  return [{ ...RECORDED, before: make(one), after: make(other), cause: "code" }];
}
