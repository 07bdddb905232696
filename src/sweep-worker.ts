import { workerData } from "node:worker_threads";
import { isWorkerStart } from "./cli/sweep/workers/protocol.ts";
import { serveJobs } from "./cli/sweep/workers/serve-jobs.ts";

const start: unknown = workerData;
if (isWorkerStart(start)) await serveJobs(start);
