import { truncate } from "../../../kernel/text.ts";
import { numbered, shownScore } from "../checks/explain-grounding.ts";
import { citedSpan } from "../flow/answered-question.ts";
import type { AnsweredQuestion } from "../flow/answer-state.ts";
import { oneLine } from "../../../cli/terminal/print.ts";

/** Answer with the data to render it. */
interface AnswerToRender {
  readonly answer: AnsweredQuestion;
  /** Name of the model; undefined if no model was called. */
  readonly model: string | undefined;
  readonly durationMs: number;
  /** True to include the query of each hop and every claim. */
  readonly verbose: boolean;
}

const LABELS = { grounded: "Grounded", partial: "Partial", ungrounded: "Ungrounded", no_claims: "No claims" } as const;
const MAX_QUOTE = 160;

/** Renders the lines of an answer: the text with its citations, score and label, unsupported claims, and retrieval. */
export function renderAnswer({ answer, model, durationMs, verbose }: AnswerToRender): string[] {
  const { cited, support, label, citations, retrieval } = answer;
  const hops = retrieval.queries.length;
  const passages = retrieval.passages.length;
  return [
    cited,
    "",
    `support    ${shownScore(support)} ${LABELS[label]}`,
    ...(answer.insufficient === undefined ? [] : [`status     ${insufficientReason(answer)}`]),
    `answered   ${oneLine(answeredBy(answer, model))}`,
    ...(citations.length === 0 ? [] : ["", "citations"]),
    ...citations.map((citation, index) => {
      const { quote, score } = citation;
      return (
        `  [${index + 1}] ${shownScore(score)}  ${oneLine(citedSpan(citation))}  ` +
        `"${oneLine(truncate(quote.replaceAll(/\s+/g, " "), MAX_QUOTE))}"`
      );
    }),
    ...claimLines(answer, verbose),
    "",
    `retrieval  coverage ${shownScore(retrieval.coverage)}, ` +
      `${numbered(hops, "hop")}, ${numbered(passages, "passage")}, ${retrieval.method}`,
    ...(verbose ? retrieval.queries.map((query, hop) => oneLine(`  hop ${hop + 1}    ${query}`)) : []),
    `duration   ${seconds(durationMs)}`,
  ];
}

/** Describes why an answer doesn't suffice. The answer is still shown. */
export function insufficientReason({ insufficient, retrieval }: AnsweredQuestion): string {
  return insufficient === "relevance"
    ? "insufficient: its sentences cover too little of the question"
    : `insufficient: the documents cover ${shownScore(retrieval.coverage)} of the question`;
}

function answeredBy({ answeredBy }: AnsweredQuestion, model: string | undefined): string {
  switch (answeredBy) {
    case "model":
      return `by ${model ?? "a model"}`;
    case "extract":
      return "extractive: quotes sentences of the documents; no model was called";
    case "nobody":
      return "no passage matched, so no model was called";
  }
}

function claimLines({ claims }: AnsweredQuestion, verbose: boolean): string[] {
  const shownClaims = verbose ? claims : claims.filter(({ label }) => label !== "grounded");
  if (shownClaims.length === 0) return [];
  return [
    "",
    verbose ? "claims" : "not fully supported",
    ...shownClaims.map(({ id, score, missing, contradictions = [], note }) => {
      const contradicts = contradictions.length === 0 ? "" : `  contradicts: ${contradictions.join("; ")}`;
      const lacks = missing.length === 0 ? "" : `  missing: ${missing.join(", ")}`;
      const reason = note === undefined ? "" : `  judge: ${truncate(note, MAX_QUOTE)}`;
      return oneLine(`  ${shownScore(score)}  ${truncate(id, 300)}${contradicts}${lacks}${reason}`);
    }),
  ];
}

/** Formats milliseconds as seconds: `0.12 s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
