import type { Behaviour } from "./behaviour.ts";
import type { Given, SceneMaker } from "./step-changes.ts";

type Cause = "code" | "prompt" | "model" | "schema" | "environment" | "mixed" | "none";
type Question = Readonly<Record<string, unknown>>;

const RECORDED = { matcher: "step", mode: "replay" } as const;
const LIVE = { matcher: "step", mode: "live" } as const;

/** Fields of the first question, before and after. */
type Fields = readonly [before: Question, after: Question];

const schema = (properties: object, required: readonly string[] = []): Question => ({
  type: "object",
  properties,
  required,
});
const TOTAL = { total: { type: "number" } };
const BOTH = { ...TOTAL, currency: { type: "string" } };
const tool = (fields: object): Question => ({ tools: [{ name: "lookup", ...fields }] });
const user = (content: unknown): Question => ({ role: "user", content });
const said = (...messages: readonly unknown[]): Question => ({ messages: [user("What does it cost?"), ...messages] });
const RESULT = "The receipt says 12 EUR.";

/** Schemas that go to a model with the request. */
const SCHEMAS: Readonly<Record<string, Fields>> = {
  "field added": [{ schema: schema(TOTAL) }, { schema: schema(BOTH) }],
  "field removed": [{ schema: schema(BOTH) }, { schema: schema(TOTAL) }],
  "field renamed": [{ schema: schema(TOTAL) }, { schema: schema({ sum: { type: "number" } }) }],
  "type of a field": [{ schema: schema(TOTAL) }, { schema: schema({ total: { type: "integer" } }) }],
  "field required": [{ schema: schema(BOTH) }, { schema: schema(BOTH, ["total"]) }],
  "value of an enum": [
    { schema: schema({ state: { enum: ["open", "paid"] } }) },
    { schema: schema({ state: { enum: ["open", "paid", "late"] } }) },
  ],
  bound: [{ schema: schema(TOTAL) }, { schema: schema({ total: { type: "number", maximum: 9 } }) }],
  "nested field": [{ schema: schema({ row: schema(TOTAL) }) }, { schema: schema({ row: schema(BOTH) }) }],
  "of OpenAI's chat": [
    { response_format: { type: "json_schema", json_schema: { name: "a", schema: schema(TOTAL) } } },
    { response_format: { type: "json_schema", json_schema: { name: "a", schema: schema(BOTH) } } },
  ],
  "of OpenAI's responses": [
    { text: { format: { type: "json_schema", schema: schema(TOTAL) } } },
    { text: { format: { type: "json_schema", schema: schema(BOTH) } } },
  ],
  "of Gemini": [{ config: { responseSchema: schema(TOTAL) } }, { config: { responseSchema: schema(BOTH) } }],
  "of the AI SDK": [
    { responseFormat: { type: "json", schema: schema(TOTAL) } },
    { responseFormat: { type: "json", schema: schema(BOTH) } },
  ],
  "of a tool of Anthropic": [tool({ input_schema: schema(TOTAL) }), tool({ input_schema: schema(BOTH) })],
  "of a tool of OpenAI": [tool({ parameters: schema(TOTAL) }), tool({ parameters: schema(BOTH) })],
};

/** Words for a model, and settings. */
const PROMPTS: Readonly<Record<string, Fields>> = {
  "description in a schema": [
    { schema: schema({ total: { type: "number", description: "The sum." } }) },
    { schema: schema({ total: { type: "number", description: "The sum with tax." } }) },
  ],
  "description of a tool": [tool({ description: "Finds." }), tool({ description: "Finds a company." })],
  "tool in front": [
    { tools: [{ name: "lookup", description: "Finds." }, { name: "search" }] },
    { tools: [{ name: "cite" }, { name: "lookup", description: "Finds." }, { name: "search" }] },
  ],
  "tool renamed": [{ tools: [{ name: "lookup" }] }, { tools: [{ name: "search" }] }],
  "tool removed": [{ tools: [{ name: "lookup" }, { name: "search" }] }, { tools: [{ name: "lookup" }] }],
  "choice of tools": [{ tool_choice: "auto" }, { tool_choice: "required" }],
  "text of a message": [said(user("Be brief.")), said(user("Be very brief."))],
  "message in front": [said(), { messages: [{ role: "system", content: "Read." }, user("What does it cost?")] }],
  "message gone in the middle": [said(user("One."), user("Two.")), said(user("Two."))],
  "example added": [said(), said({ role: "assistant", content: "It costs 3." }, user("And now?"))],
  "messages change places": [said(user("One."), user("Two.")), said(user("Two."), user("One."))],
  "part of a message": [said(user([{ type: "text", text: "One." }])), said(user([{ type: "text", text: "Two." }]))],
  "path of a URL": [{ image: "https://a.test/one.png" }, { image: "https://a.test/two.png" }],
  "image in base64": [{ image: "data:image/png;base64,iVBORw0K" }, { image: "data:image/png;base64,iVBORw0L" }],
  "most tokens": [{ max_tokens: 100 }, { max_tokens: 200 }],
  seed: [{ seed: 1 }, { seed: 2 }],
  "stop words": [{ stop: ["END"] }, { stop: ["END", "STOP"] }],
  metadata: [{ metadata: { user: "a" } }, { metadata: { user: "b" } }],
  "reasoning effort": [{ reasoning: { effort: "low" } }, { reasoning: { effort: "high" } }],
};

/** What the code leaves out, or puts in another form, of what tools responded. */
const RESULTS: Readonly<Record<string, Fields>> = {
  "of OpenAI's chat, left out": [said({ role: "tool", content: RESULT }), said()],
  "of OpenAI's chat, cut": [said({ role: "tool", content: RESULT }), said({ role: "tool", content: "The receipt" })],
  "of OpenAI's responses, left out": [said({ type: "function_call_output", output: RESULT }), said()],
  "of Anthropic, left out": [said(user([{ type: "tool_result", content: RESULT }])), said()],
  "of Anthropic, in another form": [
    said(user([{ type: "tool_result", content: RESULT }])),
    said(user([{ type: "tool_result", content: `Result: ${RESULT}` }])),
  ],
  "of the AI SDK, cut": [
    said({ role: "tool", content: [{ type: "tool-result", output: { type: "text", value: RESULT } }] }),
    said({ role: "tool", content: [{ type: "tool-result", output: { type: "text", value: "The" } }] }),
  ],
};

const MODELS: Readonly<Record<string, Fields>> = {
  deployment: [{ deployment: "reader" }, { deployment: "reader-eu" }],
  "model's version": [{ model: { id: "reader-1" } }, { model: { id: "reader-1.1" } }],
  "model of a URL's kind": [{ modelUri: "gpt://folder/reader" }, { modelUri: "gpt://folder/writer" }],
};

const HOSTS: Readonly<Record<string, Fields>> = {
  host: [{ baseURL: "https://one.test/v1" }, { baseURL: "https://two.test/v1" }],
  port: [{ baseURL: "http://localhost:3000/v1" }, { baseURL: "http://localhost:4000/v1" }],
  scheme: [{ baseURL: "http://one.test/v1" }, { baseURL: "https://one.test/v1" }],
};

const STATUSES = [400, 401, 403, 404, 408, 429, 500, 502, 503, 504, 529] as const;

/** Every way in which requests to a model change, by the cause that is to be found. */
export const REQUEST_CHANGES: Readonly<Record<string, SceneMaker>> = {
  ...ofFields("request, schema", SCHEMAS, "schema"),
  ...ofFields("request, prompt", PROMPTS, "prompt"),
  ...ofFields("request, tool result", RESULTS, "code"),
  ...ofFields("request, model", MODELS, "model"),
  ...ofFields("request, environment", HOSTS, "environment"),
  "request, sent twice": asked((questions) => [...questions, ...questions.slice(0, 1)], "code"),
  "request, two more": asked((questions) => [...questions, { prompt: "Sure?" }, { prompt: "Really?" }], "prompt"),
  // Its code reads the first response, which is that to another request.
  "request, one more in front": asked((questions) => [{ prompt: "Is this a text?" }, ...questions], "mixed"),
  "request, today's date": () => [
    { ...RECORDED, before: { today: "2026-01-05" }, after: { today: "now" }, cause: "code" },
    {
      ...LIVE,
      options: { strictRequests: true },
      before: { today: "2026-01-05" },
      after: { today: "now" },
      cause: "code",
    },
  ],
  ...Object.fromEntries(
    STATUSES.map((status): [string, SceneMaker] => [
      `error: the model's service answers ${status}`,
      () => [{ ...LIVE, after: { ends: status }, cause: "none" }],
    ]),
  ),
  "output: a field that the schema doesn't name": () => [
    { ...RECORDED, before: { schema: "named" }, after: { schema: "named", edit: { ssn: "1-2" } }, cause: "code" },
    { ...LIVE, before: { schema: "named" }, after: { schema: "named", edit: { isAdmin: true } }, cause: "code" },
  ],
  "output: a Date in the place of a text": () => [
    {
      ...RECORDED,
      before: { schema: "dated", twist: "ISO date" },
      after: { schema: "dated", twist: "date" },
      cause: "code",
    },
  ],
  "order: a write before what must come first": ({ was }) => {
    const [find, price, post, notify] = was.calls;
    const before = { order: true };
    const calls = [post, find, price, notify].filter((call) => call !== undefined);
    return [
      { ...RECORDED, before, after: { order: true, calls }, cause: "none" },
      { ...LIVE, before, after: { order: true, calls }, cause: "none" },
    ];
  },
};

function ofFields(
  group: string,
  changes: Readonly<Record<string, Fields>>,
  cause: Cause,
): Readonly<Record<string, SceneMaker>> {
  return Object.fromEntries(
    Object.entries(changes).map(([name, [old, now]]): [string, SceneMaker] => [
      `${group}: ${name}`,
      ({ was }) => {
        const [before, after] = [old, now].map((fields) => ({ questions: withFields(was, fields) }));
        return [
          { ...RECORDED, before: before ?? {}, after: after ?? {}, cause },
          { ...LIVE, options: { strictRequests: true }, before: before ?? {}, after: after ?? {}, cause },
        ];
      },
    ]),
  );
}

function withFields({ questions }: Behaviour, fields: Question): Behaviour["questions"] {
  return questions.map((question, index) => (index === 0 ? { ...question, ...fields } : question));
}

function asked(change: (questions: Behaviour["questions"]) => Behaviour["questions"], cause: Cause): SceneMaker {
  return ({ was }: Given) => {
    const after = { questions: change(was.questions) };
    return [
      { ...RECORDED, after, cause },
      { ...LIVE, options: { strictRequests: true }, after, cause },
    ];
  };
}
