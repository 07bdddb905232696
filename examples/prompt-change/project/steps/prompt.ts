/** What the model is told to do with a letter. */
export const PROMPT = `You read letters that order goods, and answer with JSON alone.

List every item that the letter orders, once, with the number of pieces. Write each item as the letter does.
Leave out what the letter only mentions: what arrived already, what is asked about, what is sent back.
Do not guess: an item without a number is one piece. Numbers in words are numbers too.`;
