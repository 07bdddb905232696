import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** What a program needs of the system, and what npm needs to reach its registry. */
const PASSED =
  /^(?:home|lang|tz|tmpdir|temp|tmp|systemroot|comspec|appdata|localappdata|userprofile|(?:https?|no|all)_proxy|npm_config_(?:registry|cache|globalconfig|userconfig)|node_extra_ca_certs|ssl_cert_file)$/i;

/** Compiled code of runners, which start hundreds of times: it saves each start a tenth of its processor time. */
const COMPILE_CACHE = join(tmpdir(), "veritest-e2e-compiled");

/**
 * The environment of a child process: nothing of this run's own (its runner, CI, colours, npm's `node_modules/.bin`)
 * but the Node it runs on, which comes first in the path.
 */
export function childEnv(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const passed = Object.entries(process.env).flatMap(([key, value]) =>
    value !== undefined && PASSED.test(key) ? [[key, value] as const] : [],
  );
  const system = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes(join("node_modules", ".bin")));
  const path = [dirname(process.execPath), ...system].join(delimiter);
  return { ...Object.fromEntries(passed), PATH: path, NO_COLOR: "1", NODE_COMPILE_CACHE: COMPILE_CACHE, ...extra };
}
