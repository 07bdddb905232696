/**
 * Writes a report into the merge request of this pipeline: `node gitlab-note.ts merged/report.md` (Node 22.18 or
 * newer). The report's first line is a marker, by which the note of an earlier run is found and replaced.
 */
import { readFileSync } from "node:fs";

const MARKER = "<!-- veritest -->";
const { CI_API_V4_URL = "", CI_PROJECT_ID = "", CI_MERGE_REQUEST_IID = "", VERITEST_TOKEN = "" } = process.env;
const notes = `${CI_API_V4_URL}/projects/${CI_PROJECT_ID}/merge_requests/${CI_MERGE_REQUEST_IID}/notes`;

async function ask(method: "GET" | "POST" | "PUT", url: string, body?: string): Promise<Response> {
  const headers = { "PRIVATE-TOKEN": VERITEST_TOKEN, "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify({ body }) }),
  });
  if (response.ok) return response;
  throw new Error(
    `${method} ${url} was answered with ${response.status}. VERITEST_TOKEN must be a token of the project with the scope api.`,
  );
}

/** The number of the note that an earlier run wrote. */
async function earlierNote(): Promise<number | undefined> {
  for (let page = "1"; page !== ""; ) {
    const response = await ask("GET", `${notes}?per_page=100&page=${page}`);
    const found: unknown = await response.json();
    const own = Array.isArray(found) ? found.map(numberOfReport).find((id) => id !== undefined) : undefined;
    if (own !== undefined) return own;
    page = response.headers.get("x-next-page") ?? "";
  }
  return undefined;
}

function numberOfReport(note: unknown): number | undefined {
  if (typeof note !== "object" || note === null || !("id" in note) || !("body" in note)) return undefined;
  const { id, body } = note;
  return typeof id === "number" && typeof body === "string" && body.startsWith(MARKER) ? id : undefined;
}

const report = readFileSync(process.argv[2] ?? "merged/report.md", "utf8");
const earlier = await earlierNote();
await (earlier === undefined ? ask("POST", notes, report) : ask("PUT", `${notes}/${earlier}`, report));
