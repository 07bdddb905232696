import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isWithin } from "../../kernel/files/real-directory.ts";
import { foldersAbove } from "./links.ts";

/** Keeps the programs of a run from the user's repository, and their processes from outliving them. */
export interface Confinement {
  /** Returns the command line that runs a command confined; the command itself if the system can't. */
  readonly wrap: (command: readonly string[]) => readonly string[];
  readonly isConfined: boolean;
}

/** For another system than Linux, or one that gives no namespaces to this user. */
const UNCONFINED: Confinement = { wrap: (command) => command, isConfined: false };

/**
 * Mounts the folders named before `--`, each by its mode, then starts the rest. A private folder has a copy of what is
 * in it, which ends with the program. The copy is empty if its mode is `empty`, if the system can't overlay it, or not
 * change files of its groups. Another run of the same packages may remove it at any time: it is then made again.
 */
const MOUNTS =
  "set -e; private() ( tries=30; " +
  'until mkdir -p -- "$1" && cd -- "$1" && mount -t tmpfs -o mode=755 veritest "$1" && mkdir "$1/up" "$1/work"; do ' +
  '[ "$((tries -= 1))" -gt 0 ]; sleep 0.1; done; ' +
  '{ [ "$2" = private ] && { grep -q 4294967295 /proc/self/gid_map || [ -z "$(find . ! -gid 0 -print -quit)" ]; } && ' +
  'mount -t overlay -o "userxattr,lowerdir=.,upperdir=$1/up,workdir=$1/work" veritest "$1"; } 2>/dev/null || ' +
  'rm -rf "$1/up" "$1/work" ); ' +
  'while [ "$1" != -- ]; do case "$1" in above) mount --rbind -- "$2" "$2";; private|empty) private "$2" "$1";; ' +
  '*) mount --bind -- "$2" "$2"; mount -o "remount,bind,$1" -- "$2";; esac; shift 2; done; ' +
  'shift; cd -- "$PWD"; exec "$@"';
/** Cache that Vitest removes if a lock file changes, unless it's empty. A mounted folder can't be removed. */
const REMOVED = ".vitest-cache";
/** Remains the first process of the namespace, where a program would ignore signals. It has no output. */
const FIRST = ["sh", "-c", 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?', "veritest"];

/**
 * Looks for namespaces of Linux, by one trial. In them, the checkout with git's directory is read-only, except for the
 * linked folders, of whose caches each program has its own copy, and every process ends with the first. The folders
 * above are mounts, so that no program can move one of them, and the checkout with it.
 */
export function findConfinement(
  folders: {
    readonly readOnly: readonly string[];
    readonly writable: readonly string[];
    readonly caches: readonly string[];
  },
  environment: NodeJS.ProcessEnv,
): Confinement {
  if (process.platform !== "linux") return UNCONFINED;
  const outer = folders.readOnly.map((path) => realpathSync(path));
  const inner = folders.writable
    .map((path) => realpathSync(path))
    .filter((path) => outer.some((each) => isWithin(each, path)));
  const above = [...new Set(outer.flatMap(foldersAbove))].filter((path) => dirname(path) !== path).toSorted();
  const mounts = [
    ...above.map((path) => ["above", path]),
    ...outer.map((path) => ["ro", path]),
    ...inner.map((path) => ["rw", path]),
    ...folders.caches.map((path) => [basename(path) === REMOVED ? "empty" : "private", realpathSync(path)]),
  ].flat();
  for (const proc of [["--mount-proc"], []]) {
    const words = [...namespaces(proc), "sh", "-c", MOUNTS, "veritest", ...mounts, "--", ...unprivileged(), ...FIRST];
    const wrap = (command: readonly string[]): readonly string[] => [...words, ...command];
    const [program = "", ...args] = wrap(["true"]);
    if (spawnSync(program, args, { stdio: "ignore", env: environment }).status === 0) return { wrap, isConfined: true };
  }
  return UNCONFINED;
}

function namespaces(proc: readonly string[]): readonly string[] {
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  return ["unshare", ...user, "--mount", "--pid", "--fork", "--kill-child=SIGKILL", ...proc];
}

/** Takes from the program the right to undo the mounts. */
function unprivileged(): readonly string[] {
  const [user = 0, group = 0] = [process.getuid?.(), process.getgid?.()];
  if (user === 0) return ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "--"];
  return ["unshare", "--user", "--mount", `--map-user=${user}`, `--map-group=${group}`, "--"];
}
