/** How what a model says comes to its end. */
export type Ending = "stop" | "cut" | "refused" | "empty";

/** What the services of models send for a text, in their own words: written by hand, from what they document. */
export interface ModelService {
  readonly body: (text: string, ending?: Ending) => object;
  readonly events: (pieces: readonly string[], ending?: Ending) => readonly object[];
  /** Whether a last event that is no data follows. */
  readonly isDone: boolean;
}

const chatEnd = { stop: "stop", cut: "length", refused: "stop", empty: "stop" } as const;

/** OpenAI's chat completions. */
export const CHAT_SERVICE: ModelService = {
  body: (text, ending = "stop") => ({
    id: "c-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: ending === "refused" ? null : text,
          refusal: ending === "refused" ? text : null,
        },
        finish_reason: chatEnd[ending],
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  events: (pieces, ending = "stop") => {
    const field = ending === "refused" ? "refusal" : "content";
    const deltas = [{ role: "assistant", [field]: "" }, ...pieces.map((piece) => ({ [field]: piece })), {}];
    return deltas.map((delta, at) => ({
      id: "c-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: at === deltas.length - 1 ? chatEnd[ending] : null }],
    }));
  },
  isDone: true,
};

/** OpenAI's responses. */
export const RESPONSES_SERVICE: ModelService = {
  body: (text, ending = "stop") => response(ending, ending === "empty" ? [] : [message(ending, [part(text, ending)])]),
  events: (pieces, ending = "stop") => {
    const text = pieces.join("");
    const kind = ending === "refused" ? "refusal" : "output_text";
    const place = { item_id: "m-1", output_index: 0, content_index: 0 };
    const whole = part(text, ending);
    const spoken = [
      { type: "response.output_item.added", output_index: 0, item: message("in_progress", []) },
      { type: "response.content_part.added", ...place, part: part("", ending) },
      ...pieces.map((delta) => ({ type: `response.${kind}.delta`, ...place, delta })),
      { type: `response.${kind}.done`, ...place, [kind === "refusal" ? "refusal" : "text"]: text },
      { type: "response.content_part.done", ...place, part: whole },
      { type: "response.output_item.done", output_index: 0, item: message(ending, [whole]) },
    ];
    const events = [
      { type: "response.created", response: response("in_progress", []) },
      { type: "response.in_progress", response: response("in_progress", []) },
      ...(ending === "empty" ? [] : spoken),
      {
        type: ending === "cut" ? "response.incomplete" : "response.completed",
        response: RESPONSES_SERVICE.body(text, ending),
      },
    ];
    return events.map((event, sequence_number) => ({ ...event, sequence_number }));
  },
  isDone: false,
};

const STATUS = {
  stop: "completed",
  cut: "incomplete",
  refused: "completed",
  empty: "completed",
  in_progress: "in_progress",
} as const;

function response(ending: Ending | "in_progress", output: readonly object[]): object {
  return {
    id: "r-1",
    object: "response",
    created_at: 1,
    status: STATUS[ending],
    ...(ending === "cut" && { incomplete_details: { reason: "max_output_tokens" } }),
    model: "m",
    output,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
}

function message(ending: Ending | "in_progress", content: readonly object[]): object {
  return { type: "message", id: "m-1", status: STATUS[ending], role: "assistant", content };
}

function part(text: string, ending: Ending): object {
  return ending === "refused" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
}

const anthropicEnd = { stop: "end_turn", cut: "max_tokens", refused: "refusal", empty: "end_turn" } as const;

/** Anthropic's messages. */
export const MESSAGES_SERVICE: ModelService = {
  body: (text, ending = "stop") => ({
    id: "m-1",
    type: "message",
    role: "assistant",
    model: "m",
    content: ending === "refused" || ending === "empty" ? [] : [{ type: "text", text }],
    stop_reason: anthropicEnd[ending],
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  events: (pieces, ending = "stop") => {
    const spoken = [
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      ...pieces.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
      { type: "content_block_stop", index: 0 },
    ];
    return [
      { type: "message_start", message: { ...MESSAGES_SERVICE.body("", "empty"), stop_reason: null } },
      ...(ending === "refused" || ending === "empty" ? [] : spoken),
      {
        type: "message_delta",
        delta: { stop_reason: anthropicEnd[ending], stop_sequence: null },
        usage: { output_tokens: 3 },
      },
      { type: "message_stop" },
    ];
  },
  isDone: false,
};
