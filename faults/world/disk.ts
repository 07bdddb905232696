import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DiskEvent } from "../shim/trace-call.ts";

/** A file or directory, whatever it is called. What is durable survives a power cut, what is pending may. */
interface Inode {
  readonly kind: "file" | "directory";
  durable: string;
  pending: string[];
  /** True if all that is pending was appended: the durable text before it can't be lost. */
  isAppended: boolean;
  readonly entries: Map<string, Inode>;
  /** Changes of names that no sync made durable yet, in their order. */
  changes: NameChange[];
}

/** One change of names in a directory; a rename within it is one change. */
interface NameChange {
  readonly gone: string | undefined;
  readonly set: { readonly name: string; readonly inode: Inode } | undefined;
}

/**
 * A disk as weak as POSIX allows: data is there after a sync of its file, a name after a sync of its directory, and of
 * everything else any part may be there after a power cut, in any order, also torn or as zeros.
 */
export class Disk {
  readonly #top: string;
  readonly #root: Inode = inodeOf("directory");
  /** The tree as running programs see it. */
  readonly #seen = new Map<Inode, Map<string, Inode>>();

  constructor(top: string) {
    this.#top = top;
  }

  /** Takes over a tree that is safely on the disk. */
  adopt(path: string, text: string | undefined): void {
    this.apply(text === undefined ? { kind: "mkdir", path } : { kind: "create", path });
    if (text !== undefined) this.apply({ kind: "write", path, data: text });
    if (text !== undefined) this.apply({ kind: "sync", path });
    this.apply({ kind: "sync", path: dirname(path) });
  }

  /** Does what a program did. */
  apply(event: DiskEvent): void {
    const { path } = event;
    switch (event.kind) {
      case "create":
        return this.#change(dirname(path), { gone: undefined, set: { name: basename(path), inode: inodeOf("file") } });
      case "mkdir":
        return this.#change(dirname(path), {
          gone: undefined,
          set: { name: basename(path), inode: inodeOf("directory") },
        });
      case "write":
      case "append":
        return writeTo(this.#find(path), event);
      case "link":
        return this.#change(dirname(event.to), {
          gone: undefined,
          set: { name: basename(event.to), inode: this.#find(path) },
        });
      case "rename":
        return this.#rename(path, event.to);
      case "unlink":
      case "rmdir":
        return this.#change(dirname(path), { gone: basename(path), set: undefined });
      case "sync":
        return this.#sync(this.#find(path));
    }
  }

  /** Cuts the power: writes one of the trees that may then be there in place of the real one. */
  cutInto(random: () => number): void {
    rmSync(this.#top, { recursive: true, force: true });
    // Some cuts lose everything that was not synced, some nothing, most a part.
    const luck = [0, 0.3, 0.5, 0.7, 1][Math.floor(random() * 5)] ?? 0;
    materialize(this.#root, this.#top, { random, luck });
  }

  #rename(path: string, to: string): void {
    const inode = this.#find(path);
    if (dirname(path) !== dirname(to))
      throw new Error(`Renames across directories are not simulated: ${path} to ${to}.`);
    this.#change(dirname(path), { gone: basename(path), set: { name: basename(to), inode } });
  }

  #change(directory: string, change: NameChange): void {
    const inode = this.#find(directory);
    inode.changes.push(change);
    applyChange(this.#view(inode), change);
  }

  #sync(inode: Inode): void {
    inode.durable = inode.pending.at(-1) ?? inode.durable;
    inode.pending = [];
    for (const change of inode.changes) applyChange(inode.entries, change);
    inode.changes = [];
  }

  #find(path: string): Inode {
    if (path === this.#top) return this.#root;
    const inode = this.#view(this.#find(dirname(path))).get(basename(path));
    if (inode === undefined) throw new Error(`The simulated disk has no ${path}.`);
    return inode;
  }

  #view(inode: Inode): Map<string, Inode> {
    const view = this.#seen.get(inode) ?? new Map<string, Inode>();
    this.#seen.set(inode, view);
    return view;
  }
}

function writeTo(inode: Inode, { kind, data }: { readonly kind: "write" | "append"; readonly data: string }): void {
  const text = inode.pending.at(-1) ?? inode.durable;
  inode.isAppended = kind === "append" && (inode.isAppended || inode.pending.length === 0);
  inode.pending.push(kind === "append" ? `${text}${data}` : data);
}

interface Chance {
  readonly random: () => number;
  readonly luck: number;
}

function materialize(inode: Inode, path: string, chance: Chance): void {
  if (inode.kind === "file") return writeFileSync(path, contentAfter(inode, chance));
  mkdirSync(path, { recursive: true });
  const entries = new Map(inode.entries);
  for (const change of inode.changes) if (chance.random() < chance.luck) applyChange(entries, change);
  for (const [name, child] of entries) materialize(child, join(path, name), chance);
}

function contentAfter({ durable, pending, isAppended }: Inode, { random, luck }: Chance): string {
  const last = pending.at(-1);
  if (last === undefined || random() < luck) return last ?? durable;
  const kept = isAppended ? durable : "";
  const rest = last.slice(kept.length);
  const torn = [kept, kept + rest.slice(0, rest.length / 2), kept + "\0".repeat(rest.length)];
  const forms = [durable, ...torn, pending[0] ?? durable];
  return forms[Math.floor(random() * forms.length)] ?? durable;
}

function applyChange(entries: Map<string, Inode>, { gone, set }: NameChange): void {
  if (gone !== undefined) entries.delete(gone);
  if (set !== undefined) entries.set(set.name, set.inode);
}

function inodeOf(kind: Inode["kind"]): Inode {
  return { kind, durable: "", pending: [], isAppended: false, entries: new Map(), changes: [] };
}
