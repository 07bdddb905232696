import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import { recordAdapters } from "../proxy/record-adapters.ts";
import { replayAdapters } from "../replay/replay-adapters.ts";
import { encode } from "./encode.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function asArgument(stream: Readable): unknown {
  const encoded = encode(stream, { opaque: "omit" });
  stream.on("error", () => undefined).destroy();
  return encoded;
}

const fields = (file: object): object => ({ $t: "instance", v: { fields: file } });

test("a stream of a file is recorded with its name and a hash of the bytes that it reads", () => {
  const root = temporaryProject("node-streams");
  const file = join(root, "a.mp3");
  writeFileSync(file, "hello");
  const hash = sha256("hello");
  expect(asArgument(createReadStream(file))).toStrictEqual(fields({ name: "a.mp3", sha256: hash }));
  expect(asArgument(createReadStream(Buffer.from(file)))).toStrictEqual(fields({ name: "a.mp3", sha256: hash }));
  expect(asArgument(createReadStream(file, { start: 1, end: 3 }))).toStrictEqual(
    fields({ name: "a.mp3", sha256: sha256("ell") }),
  );
  const large = "0123456789".repeat(250_000);
  writeFileSync(file, large);
  expect(asArgument(createReadStream(file))).toStrictEqual(fields({ name: "a.mp3", sha256: sha256(large) }));
});

test("a stream of a file that can't be read is recorded with its name", () => {
  const root = temporaryProject("node-streams");
  mkdirSync(join(root, "folder"));
  expect(asArgument(createReadStream(join(root, "none.txt")))).toStrictEqual(fields({ name: "none.txt" }));
  expect(asArgument(createReadStream(join(root, "folder")))).toStrictEqual(fields({ name: "folder" }));
});

test("a stream of a pipe is recorded without reading the pipe", { tags: "deep" }, () => {
  const root = temporaryProject("node-streams");
  const pipe = join(root, "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
  const stream = createWriteStream(pipe, { flags: "r+" });
  expect(asArgument(createReadStream(pipe))).toStrictEqual(fields({ name: "pipe" }));
  stream.destroy();
});

test("a client is replayed only for a file with the same name and bytes, wherever it is", async () => {
  const root = temporaryProject("node-streams");
  const make = (folder: string, name: string, text: string): string => {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, name), text);
    return join(root, folder, name);
  };
  const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch: async () => Response.json({ text: "heard" }) });
  const heard = async (openai: OpenAI, path: string): Promise<string> =>
    (await openai.audio.transcriptions.create({ model: "whisper-1", file: createReadStream(path) })).text;
  const recorder = recordAdapters({ openai: client });
  expect(await heard(recorder.adapters.openai, make("a", "a.mp3", "one"))).toBe("heard");
  expect(recorder.problems()).toStrictEqual([]);
  const stored = JSON.stringify(recorder.calls());
  expect(stored).not.toContain(root);
  const openai = (): OpenAI => {
    const { adapters } = replayAdapters(JSON.parse(stored));
    const replayed: unknown = Reflect.get(adapters, "openai");
    if (!isClient(replayed)) throw new TypeError("the client is missing");
    return replayed;
  };
  expect(await heard(openai(), make("b", "a.mp3", "one"))).toBe("heard");
  const message = 'No recorded call of adapter "openai.audio.transcriptions.create" matches this request (1 recorded).';
  await expect(heard(openai(), make("b", "a.mp3", "two"))).rejects.toThrow(message);
  await expect(heard(openai(), make("b", "b.mp3", "one"))).rejects.toThrow(message);
});

function isClient(client: unknown): client is OpenAI {
  return typeof client === "object" && client !== null && "audio" in client;
}

test.each<[string, () => object]>([
  ["a Readable", () => Readable.from(["a"])],
  ["a PassThrough", () => new PassThrough()],
])("a call with %s can't be recorded, because its content can't be compared", (name, make) => {
  const { adapters, problems } = recordAdapters({ send: (_data: object) => 1 });
  adapters.send({ body: make() });
  expect(problems()).toStrictEqual([
    `adapter "send" was called with ${name} at "[0].body", whose content can't be compared. Pass text or bytes`,
  ]);
});

test("a socket or a stream to write to is left out of a request", () => {
  const { adapters, calls, problems } = recordAdapters({ send: (..._data: readonly object[]) => 1 });
  const log = createWriteStream(join(temporaryProject("node-streams"), "log.txt"));
  adapters.send(new Socket(), log);
  log.destroy();
  expect(calls()[0]?.request).toStrictEqual([
    { $t: "omitted", v: "Socket" },
    { $t: "omitted", v: "WriteStream" },
  ]);
  expect(problems()).toStrictEqual([]);
});

test("a stream of another adapter can be passed on", async () => {
  const { adapters, problems } = recordAdapters({
    read: () => Readable.from(["a"]),
    send: async (data: AsyncIterable<unknown>) => {
      let count = 0;
      for await (const _chunk of data) count += 1;
      return count;
    },
  });
  const stream = adapters.read();
  for await (const _chunk of stream) expect(_chunk).toBe("a");
  await adapters.send(stream);
  expect(problems()).toStrictEqual([]);
});
