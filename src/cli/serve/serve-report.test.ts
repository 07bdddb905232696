import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type RequestOptions, createServer, request } from "node:http";
import { Socket, connect } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import axe from "axe-core";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { projectPaths, targetName } from "../../kernel/files/project-paths.ts";
import { readReceipts } from "../../updates/receipts/receipts.ts";
import { readPending } from "../../updates/pending/pending-store.ts";
import {
  type PendingProject,
  keepPendingChange,
  makeProject,
  pathOf,
  put,
  textOf,
  veritest,
} from "../../../test-support/pending-project.ts";
import { reportPages } from "../../../test-support/report-pages.ts";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { NO_FINDINGS } from "../../explain/report-case.ts";
import { buildRunModel } from "../../reporter/build-run-model.ts";
import { main } from "../../command-line.ts";
import { pendingGroups } from "../review/pending-groups.ts";
import { pageTokens, servePage } from "./page-server.ts";

/** A page that is being served, as a browser that opened it knows it. */
interface Served {
  readonly project: PendingProject;
  readonly url: URL;
  readonly token: string;
  readonly html: string;
  /** Ends it as Ctrl-C does; its exit code. */
  readonly end: () => Promise<number>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const running = new Set<() => Promise<number>>();
afterEach(async () => {
  await Promise.all([...running].map(async (end) => end()));
});

/**
 * A project in which the baseline `one` is 1 and 2 is pending, as are new baselines of other names, and which has the
 * report of that run.
 */
function projectOf(...added: readonly string[]): PendingProject {
  return withPending(makeProject(), added);
}

function withPending(project: PendingProject, added: readonly string[] = []): PendingProject {
  put(project, "one", 1);
  keepPendingChange(project, "one", { to: 2 });
  for (const name of added) keepPendingChange(project, name, { to: "new", verdict: "missing" });
  const cases = ["one", ...added].map((name) =>
    sampleCase("a.test.ts", targetName(project.root, pathOf(project, name)), {
      kind: "value_changed",
      updateState: "review",
    }),
  );
  writeFileSync(join(project.root, "run.json"), JSON.stringify(buildRunModel({ ...sampleRun(), cases })));
  return project;
}

async function start(
  project: PendingProject,
  { argv = [], more = {}, isTTY = true }: { argv?: readonly string[]; more?: NodeJS.ProcessEnv; isTTY?: boolean } = {},
): Promise<{ out: string[]; err: string[]; code: Promise<number>; url: Promise<URL> }> {
  const [out, err]: [string[], string[]] = [[], []];
  let found: (url: URL) => void = () => undefined;
  const url = new Promise<URL>((done) => (found = done));
  const stdout = {
    isTTY,
    write: (text: string) => {
      out.push(text);
      const [address] = /http:\S+/.exec(text) ?? [];
      if (address !== undefined) found(new URL(address));
    },
  };
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const io = { stdout, stderr: { write: (text: string) => err.push(text) }, stdin };
  const environment = { ...project.environment, ...more };
  const code = main(["report", "run.json", "--serve", ...argv], { ...io, environment, cwd: project.root });
  return { out, err, code, url };
}

async function serve(project: PendingProject, more: NodeJS.ProcessEnv = {}): Promise<Served> {
  const { code, err, url } = await start(project, { more });
  const address = await Promise.race([url, code]);
  if (typeof address === "number") throw new Error(`It ended with ${address}: ${err.join("")}`);
  const end = async (): Promise<number> => {
    running.delete(end);
    process.emit("SIGTERM");
    return code;
  };
  running.add(end);
  const { text } = await send(address, { headers: {} });
  return { project, url: address, html: text, token: /"token":"([^"]+)"/.exec(text)?.[1] ?? "", end };
}

/** Sends a request as it is given: no client adds or mends anything. */
async function send(url: URL, options: RequestOptions & { readonly body?: string }): Promise<Answer> {
  const { body, ...given } = options;
  return new Promise((done, failed) => {
    const sent = request(
      { host: "127.0.0.1", port: url.port, path: url.pathname, agent: false, ...given },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => done({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      },
    );
    sent.on("error", failed);
    sent.end(body);
  });
}

/** What is other than what the page sends. */
interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly changes?: unknown;
  readonly group?: string;
  readonly reason?: string;
}

/** What the page itself sends, with what a test changes of it. */
async function ask(
  { url, token, project }: Pick<Served, "url" | "token" | "project">,
  act: string,
  { headers = {}, changes = waitingOf(project), ...more }: Asked = {},
): Promise<Answer> {
  const { reason, group, ...given } = more;
  return send(url, {
    method: "POST",
    path: `${url.pathname}${act}`,
    // JSON has no undefined: what is not given is not sent.
    body: JSON.stringify({ changes, reason, group }),
    ...given,
    headers: {
      host: url.host,
      origin: url.origin,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      "x-veritest-token": token,
      ...headers,
    },
  });
}

function waitingOf({ paths }: PendingProject): { key: string; before: string | null; after: string | null }[] {
  return readPending(paths.state).changes.map(({ key, before, after }) => ({ key, before, after }));
}

/** Whether nothing was applied: the baseline and what waits are as they were, and no receipt was written. */
function isUntouched(project: PendingProject, pending = 1): boolean {
  const { values: receipts } = readReceipts(project.paths.notes);
  return (
    readFileSync(pathOf(project, "one"), "utf8") === textOf("one", 1) &&
    waitingOf(project).length === pending &&
    receipts.length === 0
  );
}

const { browser, hasBrowser, wait } = reportPages("the served page");

test.skipIf(!hasBrowser)(
  "a click in Chromium accepts the shown change, and a key rejects it",
  { tags: "deep" },
  async () => {
    const project = projectOf("two");
    const { url } = await serve(project);
    const page = await browser().newPage();
    page.setDefaultTimeout(wait);
    const asked: string[] = [];
    page.on("request", (sent) => asked.push(new URL(sent.url()).href.replace(url.href, "").replace(/#.*/, "")));
    await page.goto(url.href);
    await page.locator("a.row").first().click();
    await page.locator("#accept-now:enabled").waitFor();
    expect(await page.locator("#whole .side-after").first().isVisible()).toBe(false);
    await page.locator("#whole summary").click();
    expect((await page.locator("#whole .side-after").allTextContents()).join("")).toBe(textOf("one", 2));
    expect(isUntouched(project, 2)).toBe(true);
    await page.locator("#accept-now").click();
    await page.locator("#undo", { hasText: "1 change accepted" }).waitFor();
    await page.locator("#undo-now").click();
    await page.locator("#accept-now:enabled").waitFor();
    expect(asked).not.toContain("accept");
    expect(isUntouched(project, 2)).toBe(true);
    await page.locator("#accept-now").click();
    await page.locator("#apply-now").click();
    await page.locator(".settled-said", { hasText: "Accepted, receipt" }).waitFor();
    expect(readFileSync(pathOf(project, "one"), "utf8")).toBe(textOf("one", 2));
    await page.keyboard.press("j");
    await page.locator("#whole summary").click();
    await page.locator("#whole ins.alone").waitFor();
    await page.locator("#reject-now:enabled").waitFor();
    await page.keyboard.press("r");
    await page.locator("#apply-now").click();
    await page.locator(".settled-said", { hasText: "Rejected, receipt" }).waitFor();
    expect(waitingOf(project)).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(["", "show", "accept", "reject"]));
    await page.keyboard.press("Escape");
    await page.reload();
    await page.locator("a.row").first().waitFor();
    // What was decided isn't pending, also on a page that is opened later.
    expect(await page.locator(".stat, .settled, .accept", { hasText: /pending|accept/ }).count()).toBe(0);
    await page.close();
  },
);

test.skipIf(!hasBrowser)(
  "in Chromium applies a decision after ten seconds, at the next decision, or on leaving",
  { tags: "deep" },
  async () => {
    const project = projectOf("two", "three");
    const { url } = await serve(project);
    const page = await browser().newPage();
    page.setDefaultTimeout(wait);
    await page.clock.install();
    await page.goto(url.href);
    await page.locator("a.row").first().click();
    // The page's clock stands still, because it also counts the time that a busy machine takes.
    await page.clock.pauseAt(Date.now() + wait);
    await page.locator("#accept-now:enabled").click();
    await page.clock.fastForward(9900);
    expect(waitingOf(project)).toHaveLength(3);
    await page.clock.fastForward(200);
    await page.clock.resume();
    await page.locator(".settled-said", { hasText: "Accepted, receipt" }).waitFor();
    expect(await page.locator("#undo").isVisible()).toBe(false);
    await page.locator("#next").click();
    await page.locator("#reject-now:enabled").click();
    await page.locator("#next").click();
    const isTwoRejected = page.waitForResponse((response) => response.url().endsWith("/reject"));
    await page.locator("#reject-now:enabled").click();
    expect((await isTwoRejected).status()).toBe(200);
    expect(waitingOf(project)).toHaveLength(1);
    await page.goto("about:blank");
    await expect.poll(() => waitingOf(project)).toEqual([]);
    await page.close();
  },
);

test.skipIf(!hasBrowser)(
  "in Chromium marks a page of an older run, and shows no decisions on it",
  { tags: "deep" },
  async () => {
    const project = projectOf();
    const { url } = await serve(project);
    const page = await browser().newPage();
    page.setDefaultTimeout(wait);
    await page.goto(url.href);
    expect(await page.locator(".outdated").count()).toBe(0);
    const { cases } = sampleRun();
    const newer = buildRunModel({ ...sampleRun(), cases, startedAt: "2026-01-02T04:00:00.000Z" });
    writeFileSync(join(project.root, "run.json"), JSON.stringify(newer));
    await page.locator("a.row").first().click();
    await page.locator("#whole p.problem", { hasText: "A newer run started at 2026-01-02T04:00:00.000Z" }).waitFor({
      state: "attached",
    });
    expect(await page.locator("#accept-now").isDisabled()).toBe(true);
    await page.reload();
    expect(await page.locator(".outdated").textContent()).toBe(
      "Outdated. This page shows the run of 2 Jan 2026, 03:04 UTC. A newer run started on 2 Jan 2026, 04:00 UTC: start npx veritest report again to accept or reject its changes.",
    );
    expect(await page.locator("#accept-now, .accept, .settle-kind").count()).toBe(0);
    await page.close();
  },
);

describe("veritest report --serve", () => {
  test("refuses a decision on a page of an older run", { tags: "deep" }, async () => {
    const served = await serve(projectOf());
    const newer = buildRunModel({ ...sampleRun(), startedAt: "2026-01-02T04:00:00.000Z" });
    writeFileSync(join(served.project.root, "run.json"), JSON.stringify(newer));
    for (const act of ["accept", "reject", "show"]) {
      const { status, text } = await ask(served, act);
      expect(status).toBe(409);
      expect(JSON.parse(text).problems).toEqual([
        "A newer run started at 2026-01-02T04:00:00.000Z, and this page shows the run of 2026-01-02T03:04:05.678Z. To see the newer run, run npx veritest report again.",
      ]);
    }
    expect(isUntouched(served.project, 1)).toBe(true);
  });

  test("a click accepts exactly the shown change, with a receipt of a person, until a signal ends it", {
    tags: "deep",
  }, async () => {
    const served = await serve(projectOf());
    const { project } = served;
    expect(served.html).toContain("connect-src 'self'");
    expect(JSON.parse((await ask(served, "show")).text)).toEqual({ before: textOf("one", 1), after: textOf("one", 2) });
    expect(isUntouched(project)).toBe(true);
    const { status, text } = await ask(served, "accept");
    const [receipt] = readReceipts(project.paths.notes).values;
    expect({ status, ...JSON.parse(text) }).toEqual({
      status: 200,
      outcome: "accepted",
      keys: [expect.stringMatching(/^[0-9a-f]{12}$/)],
      problems: [],
      receipt: receipt?.id.slice(7, 19),
    });
    expect(readFileSync(pathOf(project, "one"), "utf8")).toBe(textOf("one", 2));
    expect(receipt).toMatchObject({ kind: "accept", actor: { kind: "human", because: "VERITEST_ACTOR" } });
    expect(await served.end()).toBe(0);
    await expect(send(served.url, {})).rejects.toThrow(/ECONN(?:REFUSED|RESET)/);
  });

  test("a click rejects, and keeps the baseline unchanged", async () => {
    const served = await serve(projectOf());
    expect(JSON.parse((await ask(served, "reject", { reason: "no" })).text)).toMatchObject({ outcome: "rejected" });
    expect(waitingOf(served.project)).toEqual([]);
    expect(readFileSync(pathOf(served.project, "one"), "utf8")).toBe(textOf("one", 1));
    const [receipt] = readReceipts(served.project.paths.notes).values;
    expect(receipt).toMatchObject({ kind: "reject", reason: "no" });
  });

  const own = "http://127.0.0.1";
  const upper = (path: string): string => path.toUpperCase();
  const table: readonly (readonly [string, number, (served: Served) => Asked])[] = [
    [
      "a name that was pointed here (DNS rebinding)",
      421,
      ({ url }) => ({ headers: { host: `evil.example:${url.port}` } }),
    ],
    ["localhost, which is another origin", 421, ({ url }) => ({ headers: { host: `localhost:${url.port}` } })],
    ["the host without its port", 421, () => ({ headers: { host: "127.0.0.1" } })],
    [
      "another page (CSRF)",
      403,
      () => ({ headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } }),
    ],
    ["another port of this machine", 403, () => ({ headers: { origin: `${own}:1`, "sec-fetch-site": "same-site" } })],
    ["a page without an origin", 403, () => ({ headers: { origin: "null" } })],
    ["the right origin, sent by another site", 403, () => ({ headers: { "sec-fetch-site": "cross-site" } })],
    ["nothing said of the sender's site", 403, () => ({ headers: { "sec-fetch-site": "" } })],
    ["a form", 415, () => ({ headers: { "content-type": "application/x-www-form-urlencoded" } })],
    ["text, which needs no leave of a browser", 415, () => ({ headers: { "content-type": "text/plain" } })],
    ["no token", 403, () => ({ headers: { "x-veritest-token": "" } })],
    ["the token of another process", 403, ({ token }) => ({ headers: { "x-veritest-token": `${token.slice(1)}A` } })],
    ["another link", 404, () => ({ path: `/${"A".repeat(43)}/accept` })],
    ["no link", 404, () => ({ path: "/accept" })],
    ["the link in capitals", 404, ({ url }) => ({ path: `${upper(url.pathname)}accept` })],
    ["a path that climbs", 404, ({ url }) => ({ path: `${url.pathname}../accept` })],
    ["a path that climbs in disguise", 404, ({ url }) => ({ path: `${url.pathname}%2e%2e/accept` })],
    ["a longer path", 404, ({ url }) => ({ path: `${url.pathname}accept/` })],
    ["a query", 404, ({ url }) => ({ path: `${url.pathname}accept?x` })],
    ["a whole address as the path", 404, ({ url }) => ({ path: `${own}:${url.port}${url.pathname}accept` })],
    ["an act that there is not", 404, ({ url }) => ({ path: `${url.pathname}constructor` })],
    ["reading what is written", 405, () => ({ method: "GET" })],
    ["asking for leave from elsewhere", 405, () => ({ method: "OPTIONS" })],
    ["no changes", 400, () => ({ changes: [] })],
    ["a name instead of a key", 400, () => ({ changes: [{ key: "*", before: null, after: null }] })],
    [
      "a key that begins one",
      400,
      ({ project }) => ({ changes: waitingOf(project).map((one) => ({ ...one, key: one.key.slice(0, 6) })) }),
    ],
    [
      "more than the page sends",
      400,
      ({ project }) => ({ changes: waitingOf(project).map((one) => ({ ...one, target: "x" })) }),
    ],
    [
      "another text than the page shows",
      409,
      ({ project }) => ({ changes: waitingOf(project).map((one) => ({ ...one, after: one.before })) }),
    ],
    [
      "one that waits and one that does not",
      409,
      ({ project }) => ({ changes: [...waitingOf(project), { key: "0".repeat(12), before: null, after: null }] }),
    ],
  ];
  test("applies nothing for anything that is not its own page", async () => {
    const served = await serve(projectOf());
    for (const [what, status, given] of table) {
      for (const act of ["accept", "reject"]) {
        const options = given(served);
        const path = options.path?.replace("accept", act);
        const answer = await ask(served, act, { ...options, ...(path === undefined ? {} : { path }) });
        expect(answer.status, `${what}, ${act}`).toBe(status);
        expect(isUntouched(served.project), what).toBe(true);
      }
    }
    expect((await ask(served, "accept")).status).toBe(200);
  });

  test("refuses to show the page in a frame, or without its link", async () => {
    const { url, token } = await serve(projectOf());
    const read = async (headers: Record<string, string>, path = url.pathname): Promise<Answer> =>
      send(url, { path, headers: { host: url.host, ...headers } });
    expect((await read({ "sec-fetch-site": "none", "sec-fetch-dest": "document" })).status).toBe(200);
    for (const [headers, path] of [
      [{ "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }],
      [{ "sec-fetch-site": "none", "sec-fetch-dest": "iframe" }],
      [{ host: `evil.example:${url.port}` }],
      [{}, "/"],
      [{}, `/${token}/`],
      [{}, url.pathname.slice(0, -1)],
    ] as const)
      expect((await read(headers, path)).text).not.toContain("<html");
  });

  test("applies nothing where the baseline, what waits or the configuration is no longer what the page was made of", async () => {
    const served = await serve(projectOf());
    const { project } = served;
    const seen = waitingOf(project);
    keepPendingChange(project, "one", { to: 3 });
    const newer = await ask(served, "accept", { changes: seen });
    expect({ status: newer.status, ...JSON.parse(newer.text) }).toEqual({
      status: 409,
      outcome: "outdated",
      keys: [],
      problems: ["The pending changes differ from those on this page. Reload the page."],
      receipt: null,
    });
    expect(isUntouched(project)).toBe(true);
    const latest = waitingOf(project);
    writeFileSync(pathOf(project, "one"), "edited by hand");
    expect((await ask(served, "accept", { changes: latest })).status).toBe(409);
    expect(readFileSync(pathOf(project, "one"), "utf8")).toBe("edited by hand");
    put(project, "one", 1);
    writeFileSync(join(project.root, "veritest.config.mjs"), "export default {};");
    expect(JSON.parse((await ask(served, "accept", { changes: latest })).text).problems).toEqual([
      "The configuration has changed. Start --serve again to use the current policy.",
    ]);
    expect(isUntouched(project)).toBe(true);
  });

  test("applies nothing after a configuration above the project has changed", async () => {
    const { root: above, environment } = makeProject();
    const root = join(above, "packages", "a");
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "package.json"), "{}");
    const served = await serve(withPending({ root, environment, paths: projectPaths(root, environment) }));
    writeFileSync(join(above, "veritest.config.mjs"), "export default {};");
    const { text } = await ask(served, "accept", { changes: waitingOf(served.project) });
    expect(JSON.parse(text).problems).toEqual([
      "The configuration has changed. Start --serve again to use the current policy.",
    ]);
    expect(isUntouched(served.project)).toBe(true);
  });

  test("sends the response to a running request before it closes, however long that takes", async () => {
    const tokens = pageTokens(Date.now);
    const [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const body = { outcome: "accepted", keys: [], problems: [], receipt: null } as const;
    const server = await servePage(0, {
      tokens,
      page: async () => "",
      respond: async () => {
        began.resolve();
        await goOn.promise;
        return { status: 200, body };
      },
    });
    const sockets: Socket[] = [];
    const onRequest = (message: unknown): void => {
      const socket: unknown = Reflect.get(Object(Reflect.get(Object(message), "request")), "socket");
      if (socket instanceof Socket) sockets.push(socket);
    };
    subscribe("http.server.request.start", onRequest);
    onTestFinished(() => void unsubscribe("http.server.request.start", onRequest));
    const url = new URL(server.url);
    const answer = ask({ url, token: tokens.issue(), project: makeProject() }, "accept", { changes: [] });
    await began.promise;
    // An idle connection is closed after a minute; this one isn't idle.
    expect(sockets.map(({ timeout }) => timeout)).toEqual([0]);
    const closed = server.close();
    goOn.resolve();
    expect(await answer).toEqual({ status: 200, text: JSON.stringify(body) });
    await closed;
  });

  test("shows a second tab that what it shows was applied in the first", async () => {
    const first = await serve(projectOf());
    const { text } = await send(first.url, {});
    const second = { ...first, token: /"token":"([^"]+)"/.exec(text)?.[1] ?? "" };
    expect(second.token).not.toBe(first.token);
    const seen = waitingOf(first.project);
    const both = await Promise.all([ask(first, "accept", { changes: seen }), ask(second, "accept", { changes: seen })]);
    expect(both.map(({ status }) => status)).toEqual([200, 409]);
    expect(readReceipts(first.project.paths.notes).values).toHaveLength(1);
  });

  test.each<[string, NodeJS.ProcessEnv, string]>([
    [
      "an agent where policy.agents is propose-only",
      { VERITEST_ACTOR: "", CLAUDECODE: "1" },
      'An agent can\'t accept changes here (CLAUDECODE is set; policy.agents is "propose-only").',
    ],
    ["CI", { VERITEST_ACTOR: "ci" }, "CI never writes baselines (VERITEST_ACTOR)."],
    ["a person who gives no reason where one is asked for", {}, "A reason is required. Add --reason."],
  ])("checks the policy like the command line: %s", async (_, more, problem) => {
    const project = projectOf();
    const policy = more["VERITEST_ACTOR"] === undefined ? { requireReason: true } : { agents: "propose-only" };
    writeFileSync(join(project.root, "veritest.config.mjs"), `export default { policy: ${JSON.stringify(policy)} };`);
    const served = await serve(project, more);
    const { status, text } = await ask(served, "accept");
    expect({ status, problems: JSON.parse(text).problems }).toEqual({ status: 409, problems: [problem] });
    expect(isUntouched(project)).toBe(true);
  });

  test("refuses to start without a terminal, because clicks would act for an agent", async () => {
    const { code, err } = await start(projectOf(), { isTTY: false });
    expect([await code, err.join("")]).toEqual([
      2,
      "veritest: --serve needs a terminal, because clicks in the page act for the person who started it. Use --format html instead.\n",
    ]);
  });

  test("reports a port in use, and valid port numbers", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((done) => other.once("listening", done));
    const address = other.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { code, err } = await start(projectOf(), { argv: ["--port", String(port)] });
    expect([await code, err.join("")]).toEqual([
      2,
      `veritest: Port ${port} is in use. Choose another port, or remove --port.\n`,
    ]);
    await new Promise((done) => other.close(done));
    const project = projectOf();
    for (const argv of [
      ["--port", "1"],
      ["--serve", "--port", "0"],
      ["--serve", "--port", "x"],
      ["--serve", "--port", "65536"],
    ])
      expect((await veritest(project, ["report", "run.json", ...argv])).code).toBe(2);
  });

  test("limits the size of a request, and closes slow ones", { tags: "deep" }, async () => {
    const served = await serve(projectOf());
    const much = await ask(served, "accept", { reason: "x".repeat(5_000_000) }).catch(() => ({ status: 413 }));
    expect(much.status).toBe(413);
    const slow = connect(Number(served.url.port), "127.0.0.1");
    slow.write(`POST ${served.url.pathname}accept HTTP/1.1\r\nHost: ${served.url.host}\r\n`);
    const closed = new Promise((done) => slow.once("close", done));
    slow.on("error", () => undefined).resume();
    await closed;
    expect(isUntouched(served.project)).toBe(true);
    expect((await ask(served, "accept")).status).toBe(200);
  });
});

test("a token expires after half a day, with the process, and if many pages are open", () => {
  let now = 0;
  const tokens = pageTokens(() => now);
  const first = tokens.issue();
  expect([tokens.isValid(first), tokens.isValid(""), pageTokens(() => now).isValid(first)]).toEqual([
    true,
    false,
    false,
  ]);
  now = 12 * 3_600_000;
  expect(tokens.isValid(first)).toBe(false);
  const second = tokens.issue();
  for (let page = 0; page < 63; page++) tokens.issue();
  expect(tokens.isValid(second)).toBe(true);
  tokens.issue();
  expect(tokens.isValid(second)).toBe(false);
});

const OF_KIND = ["one", "two", "three"];

/** A project in which three changes of one kind wait, and one of another, with the report of that run. */
function projectOfKinds(config = ""): PendingProject {
  const project = makeProject();
  writeFileSync(join(project.root, "veritest.config.mjs"), `export default { ${config} };`);
  const cases = [...OF_KIND, "other"].map((name) => {
    const [path, before, after] = name === "other" ? ["total", 1, 2] : ["licence", "MIT", null];
    put(project, name, { [path]: before });
    const { target } = keepPendingChange(project, name, { to: { [path]: after } });
    const changes = [{ part: "output", path, before, after, cut: false } as const];
    return sampleCase("a.test.ts", target, {
      kind: "value_changed",
      updateState: "review",
      findings: { ...NO_FINDINGS, changes },
    });
  });
  writeFileSync(join(project.root, "run.json"), JSON.stringify(buildRunModel({ ...sampleRun(), cases })));
  return project;
}

/** What a page sends of the kind of change that `name` is of. */
function ofKind(
  { paths, root }: PendingProject,
  name = "one",
): { group: string; changes: ReturnType<typeof waitingOf> } {
  const groups = pendingGroups(readPending(paths.state).changes, { root, trusted: true });
  const file = targetName(root, pathOf({ root }, name));
  const found = groups.find(({ members }) => members.some(({ target }) => target === file));
  const changes = (found?.members ?? []).map(({ key, before, after }) => ({ key, before, after }));
  return { group: found?.id ?? "", changes };
}

/** All that settling could touch: the baselines, what waits and the receipts. */
function stateOf(project: PendingProject): unknown {
  const files = [...OF_KIND, "other", "four"].map((name) => pathOf(project, name));
  return {
    texts: files.map((path) => (existsSync(path) ? readFileSync(path, "utf8") : null)),
    pending: waitingOf(project),
    receipts: readReceipts(project.paths.notes).values.length,
  };
}

describe("a kind of change on the page", () => {
  test("is accepted completely and unchanged, and its receipt names it", async () => {
    const served = await serve(projectOfKinds());
    const { project } = served;
    const asked = ofKind(project);
    const { status, text } = await ask(served, "accept", asked);
    expect({ status, keys: JSON.parse(text).keys.length }).toEqual({ status: 200, keys: 3 });
    for (const name of OF_KIND)
      expect(readFileSync(pathOf(project, name), "utf8")).toBe(textOf(name, { licence: null }));
    expect(readFileSync(pathOf(project, "other"), "utf8")).toBe(textOf("other", { total: 1 }));
    expect(waitingOf(project)).toEqual(ofKind(project, "other").changes);
    const { values: receipts } = readReceipts(project.paths.notes);
    expect(receipts).toMatchObject([{ kind: "accept", groups: [asked.group], changes: { length: 3 } }]);
  });

  test("is rejected completely, and its receipt names it", async () => {
    const served = await serve(projectOfKinds());
    const { project } = served;
    const asked = ofKind(project);
    expect((await ask(served, "reject", { ...asked, reason: "no" })).status).toBe(200);
    expect(waitingOf(project)).toEqual(ofKind(project, "other").changes);
    expect(readFileSync(pathOf(project, "one"), "utf8")).toBe(textOf("one", { licence: "MIT" }));
    const { values: receipts } = readReceipts(project.paths.notes);
    expect(receipts).toMatchObject([{ kind: "reject", groups: [asked.group], reason: "no" }]);
  });

  const rows: readonly (readonly [string, number, (project: PendingProject) => Asked])[] = [
    [
      "one of it whose baseline changed since",
      409,
      (project) => {
        const asked = ofKind(project);
        put(project, "two", { licence: "GPL" });
        return asked;
      },
    ],
    [
      "one of it that has another text by now",
      409,
      (project) => {
        const asked = ofKind(project);
        keepPendingChange(project, "two", { to: { licence: null, more: 1 } });
        return asked;
      },
    ],
    [
      "one more of it that waits by now",
      409,
      (project) => {
        const asked = ofKind(project);
        put(project, "four", { licence: "MIT" });
        keepPendingChange(project, "four", { to: { licence: null } });
        return asked;
      },
    ],
    [
      "not all of it",
      409,
      (project) => {
        const { group, changes } = ofKind(project);
        return { group, changes: changes.slice(1) };
      },
    ],
    [
      "one of it twice in the place of another",
      409,
      (project) => {
        const { group, changes } = ofKind(project);
        return { group, changes: [...changes.slice(1), ...changes.slice(-1)] };
      },
    ],
    [
      "a change of another kind among it",
      409,
      (project) => ({ group: ofKind(project).group, changes: waitingOf(project) }),
    ],
    ["the name of another kind", 409, (project) => ({ ...ofKind(project), group: ofKind(project, "other").group })],
    ["a name that nothing has", 409, (project) => ({ ...ofKind(project), group: "g-000000" })],
    ["what is no name of a kind", 400, (project) => ({ ...ofKind(project), group: "licence" })],
  ];
  test.each(rows)("applies nothing for %s", async (_, status, given) => {
    const served = await serve(projectOfKinds());
    const asked = given(served.project);
    const before = stateOf(served.project);
    for (const act of ["accept", "reject"]) {
      expect((await ask(served, act, asked)).status, act).toBe(status);
      expect(stateOf(served.project), act).toEqual(before);
    }
  });

  test.each<[string, string, NodeJS.ProcessEnv, string]>([
    [
      "protected steps",
      'protect: ["a.test.ts"]',
      {},
      'policy.protect protects a.test.ts. Review each change, because policy.forbidGroups contains "protected".',
    ],
    [
      "agents",
      'agents: "commit"',
      { VERITEST_ACTOR: "agent" },
      'An agent can\'t accept groups, because policy.forbidGroups contains "agents" (VERITEST_ACTOR). Accept the changes by key: npx veritest accept <keys>',
    ],
  ])("can't be accepted by an example if the policy forbids it: %s", async (_, policy, more, problem) => {
    const project = projectOfKinds(`policy: { forbidGroups: ["protected", "agents"], ${policy} }`);
    const served = await serve(project, more);
    const before = stateOf(project);
    const { status, text } = await ask(served, "accept", ofKind(project));
    expect({ status, problems: JSON.parse(text).problems }).toEqual({ status: 409, problems: [problem] });
    expect(stateOf(project)).toEqual(before);
  });
});

test.skipIf(!hasBrowser)(
  "in Chromium a click accepts a complete kind once an example was shown completely",
  { tags: "deep" },
  async () => {
    const project = projectOfKinds();
    const { url } = await serve(project);
    for (const colorScheme of ["dark", "light"] as const) {
      const page = await browser().newPage({ colorScheme, viewport: { width: 768, height: 1024 } });
      page.setDefaultTimeout(wait);
      await page.goto(url.href);
      const part = page.locator(".settle-kind");
      expect(await part.locator("summary").allTextContents()).toEqual(["Accept or reject 3 changes of this group"]);
      expect(await part.locator("button").count()).toBe(0);
      await part.locator("summary").click();
      await part.locator("button:enabled", { hasText: "Accept 3 changes" }).waitFor();
      const shown = (await part.locator(".side-after").allTextContents()).join("");
      expect(OF_KIND.map((name) => textOf(name, { licence: null }))).toContain(shown);
      await page.evaluate(axe.source);
      const found: unknown = await page.evaluate(async () => (await Reflect.get(globalThis, "axe").run()).violations);
      expect(found).toEqual([]);
      if (colorScheme === "dark") continue;
      await part.locator("button.yes").click();
      await page.locator("#apply-now").click();
      await part.locator(".settled-said", { hasText: "Accepted, receipt" }).waitFor();
      for (const name of OF_KIND)
        expect(readFileSync(pathOf(project, name), "utf8")).toBe(textOf(name, { licence: null }));
      expect(waitingOf(project)).toEqual(ofKind(project, "other").changes);
      await page.locator("a.row").first().click();
      await page.locator("#case .settled-said", { hasText: "Accepted" }).waitFor();
      await page.goBack();
      await page.locator(".group", { hasText: "No change of this group is pending." }).waitFor();
    }
  },
);
