import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Via } from "../../../../fixtures/llm/adapters.ts";
import { answerVia } from "../../../../fixtures/llm/bodies.ts";
import { type StubServer, startStub } from "../../../../fixtures/llm/stub-server.ts";
import { projectPaths } from "../../../kernel/files/project-paths.ts";
import { makePdf } from "../../../../test-support/make-pdf.ts";
import { groundCommand } from "./ground.ts";
import { runCommandLine } from "../../../cli/main.ts";

const BRIDGE =
  "# The Kestrel bridge\n\nThe Kestrel bridge was opened in 1932. It carries 160,000 cars a day. Its paint is grey.\n";
const FERRY = "The ferry crosses the harbour every hour. A ticket costs 4 dollars.\n";
const QUESTION = "When was the Kestrel bridge opened?";
const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

let stub: StubServer;

beforeAll(async () => {
  stub = await startStub();
});

afterAll(() => stub.close());

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project with two documents, its own state directory, and the SDKs installed. */
function makeProject(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-ground-")));
  mkdirSync(join(root, "docs"));
  writeFileSync(join(root, "package.json"), "{}");
  writeFileSync(join(root, "docs", "bridge.md"), BRIDGE);
  writeFileSync(join(root, "docs", "ferry.txt"), FERRY);
  symlinkSync(MODULES, join(root, "node_modules"));
  return root;
}

function stateOf(root: string): string {
  return projectPaths(root, { VERITEST_STATE_DIR: join(root, "state") }).state;
}

async function run(root: string, argv: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    stdin: new PassThrough(),
    environment: { VERITEST_STATE_DIR: join(root, "state"), ...environment },
    cwd: root,
  };
  const code = await runCommandLine(["ground", ...argv], io, [
    { name: "ground", group: "Advanced", summary: "ask documents", load: async () => groundCommand },
  ]);
  return { code, out: out.join("").replaceAll(/\d+\.\d\d s/g, "0.00 s"), err: err.join("").replaceAll(root, "<root>") };
}

/** A project whose documents are ingested. */
async function ready(): Promise<string> {
  const root = makeProject();
  const { code, err } = await run(root, ["ingest", "docs"]);
  if (code !== 0) throw new Error(err);
  return root;
}

describe("ground ingest", () => {
  test("reports pages without text, and cuts passages as requested", { tags: "deep" }, async () => {
    const root = makeProject();
    const page = "The keeper wrote every evening what the harbour had seen that day. ".repeat(60);
    writeFileSync(join(root, "docs", "scan.pdf"), makePdf([BRIDGE, "", page.slice(0, 200)]));
    writeFileSync(join(root, "docs", "log.md"), page);
    const { code, out, err } = await run(root, ["ingest", "docs", "--chunk-size", "256", "--overlap", "0", "--json"]);
    expect([code, err]).toEqual([
      0,
      "veritest: 1 of 3 pages of docs/scan.pdf have no text (2). If they are scanned images, run text recognition (OCR) on the file first.\n",
    ]);
    expect(JSON.parse(out)).toMatchObject([
      { source: "docs/bridge.md" },
      { source: "docs/ferry.txt" },
      { source: "docs/log.md", chunks: 4 },
      { source: "docs/scan.pdf", pages: 3, blankPages: [2] },
    ]);
    expect((await run(root, ["ingest", "docs", "--chunk-size", "many"])).code).toBe(2);
  });

  test("names the files of a directory that it skips", async () => {
    const root = makeProject();
    writeFileSync(join(root, "docs", "plan.docx"), "PK");
    writeFileSync(join(root, "docs", "logo.png"), "PNG");
    const { code, err } = await run(root, ["ingest", "docs"]);
    expect([code, err]).toEqual([
      0,
      "veritest: Skipped 2 files: docs/logo.png, docs/plan.docx. In a directory, veritest only reads files that end in " +
        ".pdf, .md, .mdx, .markdown, .txt or .text. To read another file, pass its own path.\n",
    ]);
  });

  test("reads files and directories, and lists each file with its result", async () => {
    const root = makeProject();
    expect(await run(root, ["ingest", "docs"])).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^docs\/bridge\.md {2}doc-[0-9a-f]{16} {2}1 chunk, 0\.00 s\ndocs\/ferry\.txt {2}doc-[0-9a-f]{16} {2}1 chunk, 0\.00 s\n$/,
      ),
      err: "",
    });
    expect(readdirSync(join(stateOf(root), "grounding", "documents"))).toHaveLength(2);
  });

  test("reads a PDF by page", { tags: "deep" }, async () => {
    const root = makeProject();
    writeFileSync(join(root, "bridge.pdf"), makePdf(["The ferry is slow.", "The Kestrel bridge was opened in 1932."]));
    expect((await run(root, ["ingest", "bridge.pdf"])).out).toMatch(
      /^bridge\.pdf {2}doc-[0-9a-f]{16} {2}2 pages, 2 chunks, 0\.00 s\n$/,
    );
    expect((await run(root, ["query", QUESTION, "--extract"])).out).toContain(
      '  [1] 1.00  bridge.pdf, page 2 [0–38]  "The Kestrel bridge was opened in 1932."',
    );
  });

  test("replaces a document that is read again", async () => {
    const root = await ready();
    writeFileSync(join(root, "docs", "bridge.md"), "The Kestrel bridge was opened in 1999.");
    await run(root, ["ingest", "docs/bridge.md"]);
    expect((await run(root, ["list"])).out.split("\n")).toHaveLength(3);
    expect((await run(root, ["query", QUESTION, "--extract"])).out).toMatch(
      /^The Kestrel bridge was opened in 1999 \[1\]\.\n/,
    );
  });

  test("what cannot be read is reported, and the rest is ingested", async () => {
    const root = makeProject();
    writeFileSync(join(root, "docs", "empty.md"), "");
    const { code, out, err } = await run(root, ["ingest", "docs"]);
    expect([code, out.split("\n").length - 1]).toEqual([2, 2]);
    expect(err).toBe(
      "veritest: Cannot ingest docs/empty.md: it has no words.\nveritest: 1 of 3 documents were not ingested; the rest are available.\n",
    );
  });

  test.each([
    [
      ["ingest"],
      "veritest: Pass the files to read: npx veritest ground ingest docs/handbook.pdf. For a directory, veritest reads all files below it.\n",
    ],
    [
      ["ingest", "state"],
      "veritest: Cannot ingest <root>/state: ENOENT: no such file or directory, stat '<root>/state'. Check the path.\n",
    ],
    [["ingest", "docs", "--details"], "veritest: unknown option '--details'. See: veritest ground ingest --help\n"],
  ])("%j is refused", async (argv, err) => {
    expect(await run(makeProject(), argv)).toEqual({ code: 2, out: "", err });
  });
});

describe("ground query without a model", () => {
  test("answers with sentences of the documents, labels the answer as extracted, and cites them", async () => {
    expect(await run(await ready(), ["query", QUESTION])).toEqual({
      code: 0,
      out: `The Kestrel bridge was opened in 1932 [1].

support    1.00 Grounded
answered   extractive: quotes sentences of the documents; no model was called

citations
  [1] 1.00  docs/bridge.md [22–60]  "The Kestrel bridge was opened in 1932."

retrieval  coverage 1.00, 1 hop, 2 passages, bm25
duration   0.00 s
`,
      err: "",
    });
  });

  test("warns about words that aren't covered, and lists hops and claims with --verbose", async () => {
    const { code, out, err } = await run(await ready(), [
      "query",
      "Which architect planned the Kestrel bridge?",
      "--verbose",
      "--max-hops",
      "2",
    ]);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^veritest: Coverage is 0\.\d+ after 2 hops, but 0\.8 was required\. Not covered: "architect", "planned"\.\n$/,
    );
    expect(out).toMatch(/\nclaims\n {2}1\.00 {2}The Kestrel bridge/);
    expect(out).toMatch(/\n {2}hop 1 {4}Which architect planned the Kestrel bridge\?\n {2}hop 2 {4}architect planned /);
  });

  test("an answer that covers too little is reported as insufficient, and with --threshold ends with 1", async () => {
    const root = await ready();
    const question = "Which architect planned the Kestrel bridge?";
    const { code, out } = await run(root, ["query", question, "--extract"]);
    expect([code, /\nstatus     insufficient: the documents cover 0\.\d\d of the question\n/.test(out)]).toEqual([
      0,
      true,
    ]);
    expect(Number(/\nsupport    (\d\.\d\d)/.exec(out)?.[1])).toBeLessThan(0.7);
    expect((await run(root, ["query", question, "--extract", "--threshold", "0.1"])).code).toBe(1);
  });

  test("--threshold decides the exit code, even for an answer without claims", async () => {
    const root = await ready();
    expect((await run(root, ["query", QUESTION, "--threshold", "0.9"])).code).toBe(0);
    expect(await run(root, ["query", "Quantum chromodynamics?", "--threshold", "0.1"])).toMatchObject({
      code: 1,
      out: expect.stringContaining(
        "support    none No claims\nstatus     insufficient: the documents cover 0.00 of the question\nanswered   no passage matched",
      ),
      err: expect.stringContaining(
        "--threshold requires a sufficient answer. Add a document: npx veritest ground ingest <path>\n",
      ),
    });
  });

  test("prints the answer as JSON with --json, and the steps as lines of JSON with --log", async () => {
    const { out, err } = await run(await ready(), ["query", QUESTION, "--json", "--log"]);
    expect(JSON.parse(out)).toMatchObject({
      question: QUESTION,
      support: 1,
      label: "grounded",
      answeredBy: "extract",
      citations: [{ document: "docs/bridge.md" }],
      durationMs: expect.any(Number),
    });
    expect(
      err
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line).phase),
    ).toEqual(["query", "retrieve", "retrieve", "verify_retrieval", "generate", "verify_grounding", "complete"]);
  });

  test.each([
    [
      ["query"],
      'veritest: Pass the question as one argument, in quotes: npx veritest ground query "When was it opened?"\n',
    ],
    [
      ["query", "When", "was", "it?"],
      'veritest: Pass the question as one argument, in quotes: npx veritest ground query "When was it opened?"\n',
    ],
    [
      ["query", "?!"],
      "veritest: The question doesn't contain a word. Ask a question, or enter the words to search for.\n",
    ],
    [["query", QUESTION, "--threshold", "2"], 'veritest: --threshold must be a number from 0 to 1, got "2".\n'],
    [
      ["query", QUESTION, "--max-hops", "many"],
      "veritest: The grounding configuration isn't valid: maxHops: Invalid input: expected number, received NaN. Correct the field, or remove it to use its default.\n",
    ],
    [
      ["query", QUESTION, "--provider", "openai"],
      "veritest: The provider is openai, but OPENAI_API_KEY isn't set. Set it, or answer without a model: --extract\n",
    ],
    [["query", QUESTION, "--base-url", "file:///etc"], "veritest: The setting isn't valid: baseUrl: Invalid URL.\n"],
    [["ask", QUESTION], "veritest: unknown command 'ask'. See: veritest ground --help\n"],
  ])("refuses %j with a suggestion", async (argv, err) => {
    expect(await run(await ready(), argv)).toEqual({ code: 2, out: "", err });
  });

  test("without documents names the command that adds one", async () => {
    expect(await run(makeProject(), ["query", QUESTION])).toEqual({
      code: 2,
      out: "",
      err: "veritest: There are no documents to answer from. Add a document: npx veritest ground ingest <path>\n",
    });
  });
});

describe.each<[string, Via, string, string]>([
  ["openai", "chat", "OPENAI_API_KEY", "/v1"],
  ["anthropic", "anthropic", "ANTHROPIC_API_KEY", ""],
])("ground query with the project's SDK of %s", (provider, via, key, path) => {
  const ask = async (root: string, ...more: readonly string[]): Promise<Ran> =>
    run(root, ["query", QUESTION, "--model", "m-1", "--base-url", `${stub.url}${path}`, ...more], {
      [key]: "sk-never-shown",
    });

  test("shows the model's answer and its unsupported claims", { tags: "deep" }, async () => {
    stub.reply = {
      kind: "json",
      body: answerVia(via, { text: "The Kestrel bridge was opened in 1932. It was sold to Globex in 1999." }),
    };
    expect(
      (await ask(await ready())).out,
    ).toBe(`The Kestrel bridge was opened in 1932 [1]. It was sold to Globex in 1999.

support    0.58 Ungrounded
answered   by m-1 (${provider})

citations
  [1] 1.00  docs/bridge.md [22–60]  "The Kestrel bridge was opened in 1932."

not fully supported
  0.02  It was sold to Globex in 1999.  contradicts: number: "1999"  missing: Globex, 1999

retrieval  coverage 1.00, 1 hop, 2 passages, bm25
duration   0.00 s
`);
  });

  test("escapes control characters in the model's text", { tags: "deep" }, async () => {
    stub.reply = { kind: "json", body: answerVia(via, { text: "The bridge \u001b[2J was \u202e opened." }) };
    expect((await ask(await ready())).out).toMatch(/^The bridge \\u001b\[2J was \\u202e opened/);
  });

  test("a provider that fails is reported with what to do, and its key is not", async () => {
    stub.reply = { kind: "json", status: 401, body: { error: { type: "authentication_error", message: "Bad key." } } };
    const { code, out, err } = await ask(await ready());
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^veritest: The model failed: .*Bad key\..* Or answer without a model: --extract\n$/);
    expect(err).not.toContain("sk-never-shown");
  });

  test("without the SDK or a model name says what to do", async () => {
    const bare = await ready();
    expect((await run(bare, ["query", QUESTION], { [key]: "none" })).err).toBe(
      `veritest: ${key} is set, but no model is set. Pass --model <name>, or run: npx veritest ground config set model <name>. Or answer without a model: --extract\n`,
    );
    const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-ground-")));
    writeFileSync(join(root, "package.json"), "{}");
    expect((await run(root, ["query", QUESTION, "--model", "m-1"], { [key]: "none" })).err).toMatch(
      /^veritest: The package .+ can't be loaded from <root>: Cannot find module .+\. Run npm install .+, or answer without a model: --extract\n$/,
    );
  });
});

describe("ground remove", () => {
  test("removes none if one name is unknown, and counts documents instead of names", async () => {
    const root = await ready();
    const [, ferry] = JSON.parse((await run(root, ["list", "--json"])).out);
    expect(await run(root, ["remove", ferry.id, "docs/tunnel.md", "docs/lock.md"])).toEqual({
      code: 2,
      out: "",
      err: "veritest: There is no document docs/tunnel.md, docs/lock.md, so no documents were removed. To list the documents, run: npx veritest ground list\n",
    });
    expect((await run(root, ["remove", ferry.id, ferry.name, ferry.id])).out).toBe("Removed 1 document.\n");
    expect(JSON.parse((await run(root, ["list", "--json"])).out)).toHaveLength(1);
  });

  test("removes documents by name or id, and names what isn't there", async () => {
    const root = await ready();
    const [, ferry] = JSON.parse((await run(root, ["list", "--json"])).out);
    expect(await run(root, ["remove", "docs/bridge.md", ferry.id])).toEqual({
      code: 0,
      out: "Removed 2 documents.\n",
      err: "",
    });
    expect(await run(root, ["remove", "docs/bridge.md"])).toEqual({
      code: 2,
      out: "",
      err: "veritest: There is no document docs/bridge.md, so no documents were removed. To list the documents, run: npx veritest ground list\n",
    });
    expect((await run(root, ["remove"])).err).toBe(
      "veritest: Pass the id or name of each document to remove. To list the documents, run: npx veritest ground list\n",
    );
  });
});

test.each([
  ["ingest", "docs"],
  ["list"],
  ["remove", "docs/bridge.md"],
  ["config", "show"],
])("ground %s --log logs the operation as JSON", async (operation, ...operands) => {
  const { code, err } = await run(await ready(), [operation, ...operands, "--log"]);
  expect([code, JSON.parse(err)]).toEqual([0, { operation, exitCode: 0, durationMs: expect.any(Number) }]);
});

describe("ground list", () => {
  test("lists documents, with details and as JSON", async () => {
    const root = await ready();
    expect((await run(root, ["list"])).out).toMatch(
      /^doc-[0-9a-f]{16} {2}docs\/bridge\.md {2}markdown, 1 chunk\ndoc-[0-9a-f]{16} {2}docs\/ferry\.txt {2}text, 1 chunk\n$/,
    );
    expect((await run(root, ["list", "--details"])).out).toContain("\n    read at  docs/bridge.md\n    tokens   ");
    expect(JSON.parse((await run(root, ["list", "--json"])).out)).toMatchObject([
      { name: "docs/bridge.md", kind: "markdown", chunks: 1 },
      { name: "docs/ferry.txt" },
    ]);
  });

  test("without documents says how to add one", async () => {
    expect(await run(makeProject(), ["list"])).toEqual({
      code: 0,
      out: "No documents yet. Add a document: npx veritest ground ingest <path>\n",
      err: "",
    });
  });

  test("names a damaged file, and can still query the others", async () => {
    const root = await ready();
    const [first = ""] = readdirSync(join(stateOf(root), "grounding", "documents"));
    const path = join(stateOf(root), "grounding", "documents", first);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, 40));
    const { code, out, err } = await run(root, ["list"]);
    expect([code, out.split("\n").length]).toEqual([2, 2]);
    expect(err).toMatch(
      /^veritest: Cannot read <root>\/state\/\S+\/grounding\/documents\/doc-[0-9a-f]{16}\.json: .+\. Delete it, and ingest the document again\.\n$/,
    );
  });
});

describe("ground config", () => {
  test("shows, sets and resets settings", async () => {
    const root = makeProject();
    const before = (await run(root, ["config", "show"])).out;
    expect(before).toBe(`groundedThreshold    0.85
partialThreshold     0.7
minClaim             0.35
coverageThreshold    0.8
maxHops              3
citationThreshold    0.7
similarityThreshold  0.6
maxFacts             200
provider             –
model                –
baseUrl              –
`);
    expect((await run(root, ["config", "set", "maxHops", "1"])).out).toContain("maxHops              1  (set)\n");
    await run(root, ["config", "set", "model", "m-1"]);
    expect(JSON.parse((await run(root, ["config", "show", "--json"])).out)).toMatchObject({ maxHops: 1, model: "m-1" });
    await run(root, ["config", "set", "maxHops", "default"]);
    expect((await run(root, ["config", "set", "model", "default"])).out).toBe(before);
  });

  test.each([
    [
      ["config"],
      'Use "ground config show" or "ground config set <name> <value>". Names: groundedThreshold, partialThreshold, minClaim, coverageThreshold, maxHops, citationThreshold, similarityThreshold, maxFacts, provider, model, baseUrl.',
    ],
    [
      ["config", "set", "__proto__", "1"],
      'There is no setting "__proto__". Use one of these: groundedThreshold, partialThreshold, minClaim, coverageThreshold, maxHops, citationThreshold, similarityThreshold, maxFacts, provider, model, baseUrl.',
    ],
    [
      ["config", "set", "partialThreshold", "0.9"],
      "The grounding configuration isn't valid: partialThreshold: must not be above groundedThreshold. Correct the field, or remove it to use its default.",
    ],
    [
      ["config", "set", "provider", "other"],
      'The setting isn\'t valid: provider: Invalid option: expected one of "openai"|"anthropic".',
    ],
  ])("%j is refused", async (argv, message) => {
    expect(await run(makeProject(), argv)).toEqual({ code: 2, out: "", err: `veritest: ${message}\n` });
  });

  test("names a damaged settings file", async () => {
    const root = await ready();
    await run(root, ["config", "set", "maxHops", "1"]);
    writeFileSync(join(stateOf(root), "grounding", "settings.json"), "{}");
    expect((await run(root, ["query", QUESTION])).err).toMatch(
      /^veritest: Cannot read <root>\/state\/\S+\/grounding\/settings\.json: version: .+\. Correct it, or delete it for the defaults\.\n$/,
    );
  });
});
