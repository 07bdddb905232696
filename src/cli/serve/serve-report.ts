import { hashText } from "../../kernel/json/hash.ts";
import { codeOf, messageOf } from "../../kernel/error-message.ts";
import { nearestConfig } from "../../kernel/files/nearest-config.ts";
import { escapeText } from "../../kernel/text.ts";
import { readText } from "../../kernel/files/read.ts";
import { renderServed } from "../../reporter/html/render-served.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { readPending } from "../../updates/pending/pending-store.ts";
import type { UpdateContext } from "../../updates/update-context.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { handleSignals } from "../terminal/on-signals.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { printRefusal, printLines } from "../terminal/print.ts";
import { type PageSource, pageTokens, servePage } from "./page-server.ts";
import { handlePageRequest, servedPendingGroups } from "./handle-page-request.ts";

/** Report to serve, and its port. */
export interface ServedReport {
  readonly model: RunModel;
  /** Port of the server. 0 selects a free port. */
  readonly port: number;
  /** Returns the start of a newer run; undefined if the report shows the latest run. */
  readonly newerRun: () => string | undefined;
}

/**
 * Serves a report to a browser on this machine, which accepts and rejects as `veritest accept` does: with the same
 * policy and the same receipts. A signal ends it after the running request. The person who clicks acts as the one who
 * started it. It therefore needs a terminal: without one, no person is known to be present.
 */
export async function serveReport(report: ServedReport, io: CliIo): Promise<ExitCode> {
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true)
    return printRefusal(
      io,
      "--serve needs a terminal, because clicks in the page act for the person who started it. " +
        "Use --format html instead.",
    );
  return withUpdateContext(io, undefined, async (context) => serveUntilStopped(report, context, io));
}

async function serveUntilStopped(report: ServedReport, context: UpdateContext, io: CliIo): Promise<ExitCode> {
  let stop: () => void = () => undefined;
  const ended = new Promise<void>((end) => (stop = handleSignals(end)));
  try {
    const server = await servePage(report.port, pageSource(report, context));
    const { kind, because } = context.actor;
    printLines(io, [
      server.url,
      `Changes that you accept in the page are accepted by ${kind} (${because}). Press Ctrl-C to stop.`,
    ]);
    await ended;
    await server.close();
    return EXIT.clean;
  } catch (thrown) {
    const { port } = report;
    if (codeOf(thrown) === "EADDRINUSE")
      return printRefusal(io, `Port ${port} is in use. Choose another port, or remove --port.`);
    return printRefusal(io, `The page can't be opened: ${messageOf(thrown)}`);
  } finally {
    stop();
  }
}

/** Creates the page and the handler of its requests. Both use the policy from the start. */
function pageSource({ model, newerRun }: ServedReport, context: UpdateContext): PageSource {
  const { paths, policy } = context;
  const configured = configurationOf(paths.root);
  const contextFor = (reason: string | undefined): UpdateContext | string => {
    const newer = newerRun();
    if (newer !== undefined)
      return [
        `A newer run started at ${escapeText(newer)}, and this page shows the run of ${escapeText(model.startedAt)}.`,
        "To see the newer run, run npx veritest report again.",
      ].join(" ");
    return configurationOf(paths.root) === configured
      ? { ...context, reason: reason ?? context.reason, now: new Date() }
      : "The configuration has changed. Start --serve again to use the current policy.";
  };
  return {
    tokens: pageTokens(Date.now),
    page: async (token) => {
      const pending = readPending(paths.state).changes.map(({ key, target, kind, before, after }) => ({
        key,
        target,
        kind,
        before,
        after,
      }));
      const groups = servedPendingGroups(paths).map(({ id, members }) => ({ id, keys: members.map(({ key }) => key) }));
      const { requireReason: requiresReason } = policy;
      const served = { token, pending, groups, requiresReason, newerRun: newerRun() ?? null };
      return renderServed(model, served);
    },
    respond: async (act, text) => handlePageRequest(act, text, contextFor),
  };
}

/** Returns the hash of the configuration's path and text. Its imports were read once, at the start. */
function configurationOf(root: string): string {
  const path = nearestConfig(root);
  return hashText(JSON.stringify(path === undefined ? null : [path, readText(path)]));
}
