import type { CorpusSecret } from "./secret-corpus.ts";

/** Where a secret may stand in what is recorded. */
export interface Placement {
  readonly name: string;
  /** The value that holds it. */
  readonly value: (secret: CorpusSecret) => unknown;
  /** The same as the text in which it would be streamed, and the secret as that text writes it. */
  readonly text: (secret: CorpusSecret) => { readonly text: string; readonly secret: string };
  readonly carrier: "deltas" | "events" | "lines" | "bytes";
}

const camel = (name: string): string =>
  name.toLowerCase().replace(/[_-]+([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
const kebab = (name: string): string => name.toLowerCase().replaceAll("_", "-");

/** A placement of text: what is before and after what is written of the secret. */
function inText(
  name: string,
  write: (secret: CorpusSecret) => string,
  options: {
    readonly encode?: (text: string) => string;
    readonly value?: (text: string, secret: CorpusSecret) => unknown;
    readonly carrier?: Placement["carrier"];
  } = {},
): Placement {
  const { encode = (text: string) => text, value = (text: string) => ({ note: text }), carrier = "deltas" } = options;
  return {
    name,
    value: (secret) => value(write(secret), secret),
    text: (secret) => ({ text: write(secret), secret: encode(secret.secret) }),
    carrier,
  };
}

const withSpace = (text: string): string => `${text.slice(0, 7)}\u200b${text.slice(7)}`;
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const html = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** A field that holds the secret by its name; a whole line where no name is known. */
function field({ name, secret, line }: CorpusSecret, join: (name: string) => string): Readonly<Record<string, string>> {
  return name === undefined ? { note: line } : { [join(name)]: secret };
}

/** A placement of data: as a stream it comes as JSON. */
function inData(name: string, value: (secret: CorpusSecret) => unknown): Placement {
  return {
    name,
    value,
    text: (secret) => ({ text: JSON.stringify(value(secret)), secret: json(secret.secret) }),
    carrier: "deltas",
  };
}

const named = ({ name, line, secret }: CorpusSecret, write: (name: string, secret: string) => string): string =>
  name === undefined ? line : write(name, secret);

/** Places in which secrets are planted. */
export const PLACEMENTS: readonly Placement[] = [
  inText("its usual line", ({ line }) => line),
  inData("the value of a field", (secret) => ({ config: field(secret, camel) })),
  inText("prose", ({ line }) => `The run failed; it used ${line} and then stopped.`),
  inText(
    "a URL's query",
    (secret) =>
      secret.name === undefined
        ? `https://api.example.com/v1/items?page=2&q=${encodeURIComponent(secret.line)}`
        : `https://api.example.com/v1/items?page=2&${secret.name.toLowerCase()}=${encodeURIComponent(secret.secret)}&x=1`,
    { encode: encodeURIComponent },
  ),
  inData("a header", (secret) => ({ headers: { accept: "*/*", ...field(secret, (name) => `x-${kebab(name)}`) } })),
  inData("a pair of a header", (secret) => ({ headers: [["accept", "*/*"], ...Object.entries(field(secret, camel))] })),
  inText(
    "a line of .env",
    (secret) => `DEBUG=1\n${named(secret, (name, text) => `export ${name}="${text}"`)}\nPORT=80\n`,
  ),
  inText(
    "YAML",
    (secret) =>
      `app:\n  debug: true\n  ${named(secret, (name, text) => `${name.toLowerCase()}: ${text}`).replaceAll("\n", "\n  ")}\n`,
  ),
  inText(
    "XML",
    (secret) => `<app>\n  ${named(secret, (name, text) => `<${camel(name)}>${html(text)}</${camel(name)}>`)}\n</app>`,
    { encode: (text) => text },
  ),
  inText("JSON in a text", (secret) => `{"config": ${JSON.stringify(field(secret, camel))}}`, { encode: json }),
  inText("JSON escaped for HTML", (secret) => `<div data-x="${html(JSON.stringify(field(secret, camel)))}">`, {
    encode: (text) => html(json(text)),
  }),
  inText("server-sent events", ({ line }) => `I got ${line} there.`, { carrier: "events" }),
  inText("JSON lines", ({ line }) => `I got ${line} there.`, { carrier: "lines" }),
  inText("bytes", ({ line }) => `see ${line} thère`, {
    value: (text) => new Uint8Array(Buffer.from(text)),
    carrier: "bytes",
  }),
  inText("an error's message", ({ line }) => `401: ${line} is not valid`, { value: (text) => new Error(text) }),
  inText("a stack", ({ line }) => `Error: ${line}\n    at run (/app/src/run.ts:12:5)`, {
    value: (text) => ({ stack: text }),
  }),
  inText("a label", ({ line }) => line, { value: (text) => ["nightly", text] }),
  inText("meta", ({ line }) => line, { value: (text) => ({ owner: "ada", why: text }) }),
  inData("arguments of a tool", (secret) => ({
    tool_calls: [
      {
        function: {
          name: "call",
          arguments: JSON.stringify({ id: 7, ...field(secret, (name) => name.toLowerCase()) }),
        },
      },
    ],
  })),
  inText("a command's payload", ({ line }) => `run: ${line}`, {
    value: (text) => [{ type: "shell.run", payload: { script: text } }],
  }),
  inText(
    "colours of a terminal",
    ({ before, secret, after }) => `\u001b[32m${before}\u001b[0m\u001b[1;31m${secret}\u001b[0m${after}`,
  ),
  inText("zero-width characters", ({ before, secret, after }) => `${before}${withSpace(secret)}${after}`, {
    encode: withSpace,
  }),
  inText("the name of a field", ({ line }) => line, { value: (text) => ({ [text]: 1 }) }),
];
