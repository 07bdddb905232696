/** A fenced block of a Markdown file: its language, the attributes after it, and its text. */
export interface Block {
  readonly language: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

/** Reads the fenced blocks of a Markdown text, for example one that begins with "```ts file=steps/a.ts". */
export function readBlocks(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\S+)(.*)\n([\s\S]*?)^```$/gm)].map(([, language = "", words = "", text = ""]) => ({
    language,
    attributes: new Map([...words.matchAll(/(\w+)=(\S+)/g)].map(([, key = "", value = ""]) => [key, value])),
    text,
  }));
}
