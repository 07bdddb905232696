/** A conversation of 200 KB: few objects, long texts with line breaks and quotes. */
export interface Transcript {
  readonly id: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const SENTENCE =
  'The customer said "please check the invoice again" and we looked at every line of it, one after the other.\n';

/** Makes the transcript, the same each time. */
export function transcript(): Transcript {
  const messages = Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index}. ${SENTENCE.repeat(46)}`,
  }));
  return { id: "transcript", messages };
}
