import type { Scene } from "./behaviour.ts";
import { ofSecrets } from "./broken-changes.ts";
import type { SceneMaker } from "./step-changes.ts";

const RECORDED = { matcher: "step", mode: "replay" } as const;
const LIVE = { matcher: "step", mode: "live" } as const;
const TOKEN = `ghp_${"w8Kq2Lm9Zr4Tn6Vb3Xc5".repeat(2).slice(0, 36)}`;

/** What varies and means nothing, or is allowed to: each is to be clean. */
export const NOISE: Readonly<Record<string, SceneMaker>> = {
  "same: nothing changed": () => everywhere({}),
  ...ofSecrets(true),
  "same: a secret": () => [
    { ...RECORDED, before: { edit: { note: `use ${TOKEN}` } }, after: { edit: { note: `use ${TOKEN}` } } },
    { ...LIVE, before: { edit: { apiKey: TOKEN } }, after: { edit: { apiKey: TOKEN } } },
  ],
  "order: keyed list": ({ found, draw: generated }) => {
    const entities = generated.reorder(found.entities);
    return entities === undefined ? [] : everywhere({ edit: { entities } });
  },
  "order: keyed list reversed": ({ found }) => everywhere({ edit: { entities: found.entities.toReversed() } }),
  "order: keys of objects": ({ found }) => everywhere({ answer: turned(found), output: turned(found) }),
  // ADR 022: nobody carries the commands of one step out in an order.
  "order: commands": ({ was }) => {
    const after = { commands: was.commands.toReversed() };
    return [
      { ...RECORDED, after },
      { ...LIVE, after },
      { matcher: "replay", mode: "replay", after },
    ];
  },
  // A question is no part of what a step does, and CI has an answer for each that is left: the summary tells of it.
  "questions: one fewer": ({ was }) => {
    const after = { questions: was.questions.slice(0, 1) };
    return [
      { ...RECORDED, after },
      { ...LIVE, options: { strictRequests: true }, after },
    ];
  },
  "order: reads": ({ was: { calls } }) => {
    const after = { calls: [...calls.slice(0, 2).toReversed(), ...calls.slice(2)] };
    return [
      { ...RECORDED, after },
      { ...LIVE, after },
    ];
  },
  "order: answers of reads asked at once": () => [{ ...LIVE, after: { twist: "slow" } }],
  "time and ids: in answers that nobody reads": () => [
    { ...LIVE, after: { stamp: { id: "resp-2", created: 1_800_000_000 } } },
  ],
  "time and ids: costs of a model": ({ was: { events } }) => [
    { ...LIVE, before: { events: traced(events, 12) }, after: { events: traced(events, 900) } },
    { ...RECORDED, before: { events: traced(events, 12) }, after: { events: traced(events, 900) } },
  ],
  "time and ids: ignored in the output": () => edited({ date: "2031-01-01" }, "skip"),
  "time and ids: ignored in events": ({ was: { events } }) => [
    { ...RECORDED, rules: "event times", after: { events: events.map((event) => ({ ...event, payload: at(event) })) } },
  ],
  "time and ids: ignored in a call": ({ was: { calls } }) => [
    {
      ...LIVE,
      rules: "request ids",
      after: {
        calls: calls.map((call) =>
          call.tool === "find" ? { ...call, request: { ...call.request, requestId: "r-2" } } : call,
        ),
      },
    },
  ],
  "time and ids: no part of a request": ({ was: { questions } }) => {
    const asked = (trace: string): Scene["after"] => ({ questions: questions.map((one) => ({ ...one, trace })) });
    return [{ ...RECORDED, options: { ignore: ["llm.ask[0].trace"] }, before: asked("a"), after: asked("b") }];
  },
  "time and ids: a pattern": () => edited({ date: "2031-12-24" }, "pattern"),
  "tolerance: number inside": ({ found }) => edited({ total: found.total + 0.03 }, "near"),
  "tolerance: prose inside": ({ found }) => edited({ summary: `${found.summary.toUpperCase()}!` }, "alike"),
  "tolerance: one of them": ({ found }) =>
    edited({ state: found.state === "accepted" ? "rejected" : "accepted" }, "among"),
  "tolerance: in elements": ({ found }) =>
    edited({ entities: found.entities.map((one) => ({ ...one, text: `${one.text}?` })) }, "texts"),
  "equal by design: undefined": () => twisted("undefined", {}),
  "equal by design: -0": () => twisted("negative zero", { total: 0 }),
  "equal by design: a Date": () =>
    twisted("date", { date: "2024-05-06T00:00:00.000Z" }).map((scene) => ({ ...scene, before: scene.after })),
};

function everywhere(after: Scene["after"]): readonly Scene[] {
  return [
    { ...RECORDED, after },
    { ...LIVE, after },
    { matcher: "value", mode: "replay", after },
    { matcher: "key", mode: "replay", after },
    { matcher: "result", mode: "live", after },
  ];
}

function edited(edit: object, rules: string): readonly Scene[] {
  return [
    { ...RECORDED, rules, after: { edit } },
    { ...LIVE, rules, after: { edit } },
  ];
}

function twisted(twist: "undefined" | "negative zero" | "date", edit: object): readonly Scene[] {
  return [
    { ...RECORDED, before: { edit }, after: { edit, twist } },
    { matcher: "value", mode: "replay", before: { edit }, after: { edit, twist } },
  ];
}

/** The same with its keys the other way round, at each depth. */
function turned(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, part]: [string, unknown]) => [
        name,
        typeof part === "object" && part !== null && !Array.isArray(part) ? turned(part) : part,
      ]),
  );
}

function at(event: object): object {
  const payload: unknown = "payload" in event ? event.payload : {};
  return { ...(typeof payload === "object" ? payload : {}), at: 99 };
}

function traced(events: readonly object[], durationMs: number): readonly object[] {
  const llmTrace = {
    model: "reader-1",
    promptTokens: 9,
    completionTokens: 9,
    durationMs,
    inputHash: "a",
    outputHash: "b",
  };
  return events.map((event) => ({ ...event, llmTrace }));
}
