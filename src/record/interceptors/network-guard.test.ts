import { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from "node:child_process";
import { createSocket as createUdpSocket } from "node:dgram";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { Worker } from "node:worker_threads";
import { connect, createServer as createSocketServer } from "node:net";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { recordAdapters } from "../proxy/record-adapters.ts";
import { replayAdapters } from "../replay/replay-adapters.ts";
import { recordGlobalFetch } from "./fetch-recorder.ts";
import { blockedMessage } from "./network-guard.ts";
import { serve } from "../../../test-support/serve.ts";

let requests = 0;

const server = await serve((_request, response) => {
  requests += 1;
  response.end("answer");
});
const port = Number(new URL(server.url).port);
afterAll(server.close);

/** This machine is shut, so that what is refused can be made of a server that is there. */
function settings(network: object): void {
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ network }));
}

beforeEach(() => {
  requests = 0;
  settings({ local: false });
});
afterEach(() => vi.unstubAllEnvs());

const url = (): string => `http://127.0.0.1:${port}/`;

function getText(agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, ...(agent && { agent }) }, (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (part: string) => (text += part));
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });
}

function connectTo(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve("connected");
    });
    socket.on("error", reject);
  });
}

const fetchText = async (): Promise<string> => (await fetch(url())).text();

async function messageOf(run: Promise<unknown>): Promise<string> {
  const thrown: unknown = await run.then(
    () => new Error("it was let through"),
    (error: unknown) => error,
  );
  if (!(thrown instanceof Error)) return "";
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}

describe("during a replay", () => {
  test.each([
    ["fetch", fetchText],
    ["http", getText],
    ["net", connectTo],
  ])("a connection of %s fails with an error that names the line, and sends no data", async (_name, reach) => {
    const served = replayAdapters([]);
    const message = await messageOf(served.runInScope(reach));
    const [reached] = served.networkAccess();
    expect(reached).toStrictEqual({
      host: `127.0.0.1:${port}`,
      at: expect.stringMatching(/network-guard\.test\.ts:\d+:\d+$/),
      blocked: true,
    });
    expect(message).toBe(blockedMessage({ host: `127.0.0.1:${port}` }, reached?.at ?? ""));
    expect(requests).toBe(0);
  });

  test("blocks connections that were open before", async () => {
    const agent = new Agent({ keepAlive: true });
    expect([await getText(agent), await fetchText()]).toStrictEqual(["answer", "answer"]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const served = replayAdapters([]);
    expect(await messageOf(served.runInScope(() => getText(agent)))).toContain("veritest blocked a connection");
    expect(await messageOf(served.runInScope(fetchText))).toContain("veritest blocked a connection");
    expect(requests).toBe(2);
    expect(await getText(agent)).toBe("answer");
    agent.destroy();
  });

  test("allows requests of the test itself, and of a concurrent run that may send them", async () => {
    const served = replayAdapters([]);
    const [refused, own, live] = await Promise.all([
      messageOf(served.runInScope(fetchText)),
      fetchText(),
      recordAdapters({}).runInScope(fetchText),
    ]);
    expect(refused).toContain("veritest blocked a connection");
    expect([own, live, requests]).toStrictEqual(["answer", "answer", 2]);
  });

  test("blocks a request that starts after the run has ended", async () => {
    const served = replayAdapters([]);
    let late: Promise<string> = Promise.resolve("");
    await served.runInScope(() => {
      late = messageOf(new Promise((resolve) => setTimeout(resolve, 10)).then(fetchText));
    });
    expect(await late).toContain("veritest blocked a connection");
    expect(requests).toBe(0);
  });

  test("stays blocked in a nested recording", async () => {
    const served = replayAdapters([]);
    const recorder = recordAdapters({});
    expect(await messageOf(served.runInScope(() => recorder.runInScope(fetchText)))).toContain(
      "veritest blocked a connection",
    );
    expect(served.networkAccess()).toHaveLength(1);
  });

  test("what a recorder answers is no connection", async () => {
    const remove = recordGlobalFetch();
    settings({});
    const recorder = recordAdapters({});
    await recorder.runInScope(fetchText);
    settings({ local: false });
    const served = replayAdapters(recorder.calls());
    expect(await served.runInScope(fetchText)).toBe("answer");
    expect([recorder.networkAccess(), served.networkAccess(), requests]).toStrictEqual([[], [], 1]);
    remove();
  });

  test("this machine is let through unless the project says otherwise, and is reported", async () => {
    settings({});
    const served = replayAdapters([]);
    expect(await served.runInScope(fetchText)).toBe("answer");
    expect(served.networkAccess()).toMatchObject([{ host: `127.0.0.1:${port}`, blocked: false }]);
  });

  test.each([["127.0.0.1"], ["127.*"], ["*"]])("allows the host %s by name", async (pattern) => {
    settings({ local: false, allow: [pattern] });
    expect(await replayAdapters([]).runInScope(getText)).toBe("answer");
    settings({ local: false, allow: [`${pattern}:${port}`] });
    expect(await replayAdapters([]).runInScope(connectTo)).toBe("connected");
    settings({ local: false, allow: [`${pattern}x`] });
    expect(await messageOf(replayAdapters([]).runInScope(getText))).toContain("veritest blocked a connection");
  });

  test("blocks another host even if this machine is allowed", async () => {
    settings({});
    const ask = (): Promise<Response> => fetch("https://api.example.com/v1");
    const message = await messageOf(replayAdapters([]).runInScope(ask));
    expect(message.replace(/\([^)]*:\d+\)/, "(where)")).toBe(
      "veritest blocked a connection to api.example.com:443 (where). A replay only allows recorded requests, and this one isn't " +
        "recorded. To record it, use veritest({ fetch: true }) in Vitest, " +
        'setupFiles: ["veritest/fetch-setup"] in Jest, or an adapter if the client doesn\'t use fetch. ' +
        'To allow it, set network: { allow: ["api.example.com"] } in veritest.config',
    );
  });

  test("names axios's option for a client that the recorder of fetch doesn't see", async () => {
    settings({});
    const remove = recordGlobalFetch();
    const send = async (): Promise<unknown> =>
      new Promise((resolve, reject) => void get("http://api.example.com/v1", resolve).once("error", reject));
    const message = await messageOf(replayAdapters([]).runInScope(send)).finally(remove);
    expect(message.replace(/\([^)]*:\d+\)/, "(where)")).toBe(
      "veritest blocked a connection to api.example.com:80 (where). A replay only allows recorded requests, and this one isn't " +
        `recorded. To record it, set axios's option adapter: "fetch", or pass another client that doesn't use fetch as an ` +
        "adapter. A client that uses fetch must be created after the recorder of fetch is installed. " +
        'To allow it, set network: { allow: ["api.example.com"] } in veritest.config',
    );
  });

  test("treats a socket with a path as this machine", async () => {
    settings({});
    const local = createSocketServer((socket) => socket.end());
    const path = `/tmp/veritest-${process.pid}.sock`;
    await new Promise<void>((resolve) => local.listen(path, resolve));
    const ended = (): Promise<string> =>
      new Promise((resolve, reject) => {
        connect(path)
          .on("error", reject)
          .on("close", () => resolve("ended"))
          .resume();
      });
    const served = replayAdapters([]);
    expect(await served.runInScope(ended)).toBe("ended");
    expect(served.networkAccess()).toMatchObject([{ host: path, blocked: false }]);
    local.close();
  });

  test("allows requests of a trace exporter", async () => {
    const api = Symbol.for("opentelemetry.js.api.1");
    const key = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING");
    const context = { getValue: (asked: symbol) => asked === key, setValue: () => context, deleteValue: () => context };
    Reflect.set(globalThis, api, { context: { active: () => context } });
    try {
      expect(await replayAdapters([]).runInScope(fetchText)).toBe("answer");
    } finally {
      Reflect.deleteProperty(globalThis, api);
    }
  });
});

test("a live run reports what it reached outside adapters and recorders, and not of what adapters reach", async () => {
  const recorder = recordAdapters({ ask: fetchText });
  await recorder.runInScope(() => recorder.adapters.ask());
  expect(recorder.networkAccess()).toStrictEqual([]);
  expect(await recorder.runInScope(fetchText)).toBe("answer");
  expect(recorder.networkAccess()).toMatchObject([{ host: `127.0.0.1:${port}`, blocked: false }]);
});

describe("a process that a step starts", () => {
  const code = ["-e", "process.stdout.write('done')"];
  const WAYS: readonly [string, () => unknown][] = [
    ["spawn", async () => once(spawn(process.execPath, code), "exit").then(() => "done")],
    ["execFile", async () => (await promisify(execFile)(process.execPath, code)).stdout],
    ["exec", async () => (await promisify(exec)("echo done")).stdout.trim()],
    ["fork", async () => once(fork("/dev/null"), "exit").then(() => "done")],
    ["spawnSync", () => spawnSync(process.execPath, code, { encoding: "utf8" }).stdout],
    ["execSync", () => execSync("echo done", { encoding: "utf8" }).trim()],
    ["execFileSync", () => execFileSync(process.execPath, code, { encoding: "utf8" })],
  ];

  test.each(WAYS)("by %s is refused by name in a replay, and doesn't start", async (_name, start) => {
    const replayer = replayAdapters([]);
    await expect(replayer.runInScope(async () => start())).rejects.toThrow(
      /^veritest blocked a child process \(.*network-guard\.test\.ts:\d+:\d+\), because its .* \{ allow: \["child_process"\] \} in veritest\.config$/,
    );
    expect(replayer.networkAccess()).toMatchObject([{ host: "child_process", blocked: true }]);
  });

  test("runs if the project allows it, live, in adapters, and outside of steps", { tags: "deep" }, async () => {
    settings({ allow: ["child_process"] });
    for (const [, start] of WAYS) expect(await replayAdapters([]).runInScope(async () => start())).toBe("done");
    settings({});
    expect(await recordAdapters({}).runInScope(async () => WAYS[4]?.[1]())).toBe("done");
    const recorder = recordAdapters({ start: async () => WAYS[1]?.[1]() });
    expect(await recorder.runInScope(async () => recorder.adapters.start())).toBe("done");
    expect(recorder.networkAccess()).toStrictEqual([]);
    expect(await WAYS[0]?.[1]()).toBe("done");
  });
});

describe("a datagram that a step sends", () => {
  const send = (...args: readonly [(string | number)?, string?]): (() => Promise<unknown>) => {
    return async () => {
      const socket = createUdpSocket("udp4");
      onTestFinished(() => void socket.close());
      return new Promise((resolve, reject) => {
        const [port, address] = args;
        socket.send("m", Number(port), address, (error) => (error === null ? resolve("sent") : reject(error)));
      });
    };
  };

  test.each([
    ["8125", "192.0.2.7", "192.0.2.7:8125"],
    ["53", "metrics.example", "metrics.example:53"],
  ])("to port %s of %s is refused in a replay, and isn't sent", async (port, address, host) => {
    settings({});
    const replayer = replayAdapters([]);
    expect(await messageOf(replayer.runInScope(send(port, address)))).toContain(
      `veritest blocked a connection to ${host} `,
    );
    expect(replayer.networkAccess()).toMatchObject([{ host, blocked: true }]);
  });

  test("on a connected socket, or without a callback, is refused too", async () => {
    settings({ local: false });
    const receiver = createUdpSocket("udp4");
    const sender = createUdpSocket("udp4");
    onTestFinished(() => [receiver, sender].forEach((socket) => socket.close()));
    let received = 0;
    receiver.on("message", () => (received += 1));
    await new Promise<void>((resolve) => void receiver.bind(0, "127.0.0.1", resolve));
    const { port: target } = receiver.address();
    await new Promise<void>((resolve) => {
      sender.connect(target, "127.0.0.1", resolve);
    });
    const replayer = replayAdapters([]);
    await replayer.runInScope(async () => {
      sender.send("m");
      sender.send(Buffer.from("abc"), 1, 2);
    });
    expect(replayer.networkAccess()).toMatchObject([{ host: `127.0.0.1:${target}`, blocked: true }, { blocked: true }]);
    sender.send("own");
    await once(receiver, "message");
    expect(received).toBe(1);
  });

  test("to this machine is sent by default", async () => {
    settings({});
    expect(await replayAdapters([]).runInScope(send(9, "127.0.0.1"))).toBe("sent");
    expect(await replayAdapters([]).runInScope(send(9))).toBe("sent");
    settings({ local: false });
    expect(await messageOf(replayAdapters([]).runInScope(send(9)))).toContain(
      "veritest blocked a connection to localhost:9 ",
    );
  });
});

describe("a request of HTTP/2", () => {
  let session: ClientHttp2Session;
  let target = 0;
  let bodies = "";
  beforeAll(async () => {
    const http2 = createHttp2Server();
    http2.on("stream", (stream) => {
      stream.on("error", () => undefined).on("data", (part: Buffer) => (bodies += part.toString()));
      stream.respond({ ":status": 200 });
      stream.end("answer");
    });
    await new Promise<void>((resolve) => http2.listen(0, "127.0.0.1", resolve));
    const address = http2.address();
    target = typeof address === "object" && address !== null ? address.port : 0;
    session = connectHttp2(`http://127.0.0.1:${target}`);
    await once(session, "connect");
    return () => {
      session.destroy();
      http2.close();
    };
  });
  const send = (body: string) => async (): Promise<string> => {
    const stream = session.request({ ":path": "/", ":method": "POST" });
    const parts = stream.toArray();
    stream.end(body);
    return Buffer.concat(await parts).toString();
  };

  test("is refused in a replay on a session that was opened before, and its body isn't sent", async () => {
    const replayer = replayAdapters([]);
    expect(await messageOf(replayer.runInScope(send("replayed")))).toMatch(
      `veritest blocked a connection to 127.0.0.1:${target} (`,
    );
    expect(replayer.networkAccess()).toMatchObject([{ host: `127.0.0.1:${target}`, blocked: true }]);
    expect(await send("own")()).toBe("answer");
    expect(bodies).toBe("own");
  });

  test("is sent in a live run, in an adapter, and to an allowed host", async () => {
    const live = recordAdapters({ service: { ask: send("adapter") } });
    expect(await live.runInScope(send("live"))).toBe("answer");
    expect(live.networkAccess()).toMatchObject([{ host: `127.0.0.1:${target}`, blocked: false }]);
    expect(await live.runInScope(() => live.adapters.service.ask())).toBe("answer");
    settings({ allow: ["127.0.0.1"] });
    expect(await replayAdapters([]).runInScope(send("allowed"))).toBe("answer");
  });
});

describe("a worker thread that a step uses", () => {
  const answer = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const worker = new Worker("require('node:worker_threads').parentPort.postMessage('done')", { eval: true });
      worker.on("message", resolve).on("error", reject);
    });

  test("is refused by name in a replay, and doesn't start", async () => {
    const replayer = replayAdapters([]);
    await expect(replayer.runInScope(answer)).rejects.toThrow(
      /^veritest blocked a worker thread \(.*network-guard\.test\.ts:\d+:\d+\), because its /,
    );
    expect(replayer.networkAccess()).toMatchObject([{ host: "worker_threads", blocked: true }]);
  });

  test("is refused if it was started before: by its message, which isn't sent", async () => {
    const echo =
      "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (m) => parentPort.postMessage(m))";
    const worker = new Worker(echo, { eval: true });
    onTestFinished(async () => void (await worker.terminate()));
    const ask = async (): Promise<unknown> => {
      worker.postMessage("echo", []);
      return (await once(worker, "message"))[0];
    };
    expect(await messageOf(replayAdapters([]).runInScope(ask))).toMatch(
      /^veritest blocked a worker thread \(.*network-guard\.test\.ts:\d+:\d+\), because its /,
    );
    expect(await recordAdapters({}).runInScope(ask)).toBe("echo");
    expect(await recordAdapters({ thread: { ask } }).adapters.thread.ask()).toBe("echo");
    settings({ allow: ["worker_threads"] });
    expect(await replayAdapters([]).runInScope(ask)).toBe("echo");
  });

  test("runs if the project allows it, in live runs, and outside of steps", async () => {
    settings({ allow: ["worker_threads"] });
    expect(await replayAdapters([]).runInScope(answer)).toBe("done");
    settings({});
    expect(await recordAdapters({}).runInScope(answer)).toBe("done");
    expect(await answer()).toBe("done");
  });

  test("has an error message with the fix", () => {
    expect(blockedMessage({ host: "worker_threads" }, "a.ts:1:2")).toBe(
      "veritest blocked a worker thread (a.ts:1:2), because its requests would be live during a replay. " +
        'Do its work in an adapter. To allow it, set network: { allow: ["worker_threads"] } in veritest.config',
    );
  });
});
