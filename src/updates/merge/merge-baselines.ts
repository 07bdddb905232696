import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { hashValueSync } from "../../kernel/json/hash.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { formatPath } from "../../kernel/text.ts";
import { type Baseline, snapshotOf } from "../../baseline/baseline.ts";
import { withoutReferences } from "../../baseline/earlier-requests.ts";
import { numberFields } from "../../baseline/number-placeholders.ts";
import { parseBaseline, readFields } from "../../baseline/parse-baseline.ts";
import { verifySerialized, writtenBaseline } from "../../baseline/serialize-baseline.ts";
import { editOf } from "../../kernel/diff/edit.ts";
import { inputHashOf } from "../../record/snapshot.ts";
import { pairSecrets } from "../../redact/comparable.ts";
import { PlaceholderNumbers } from "../../redact/placeholder-numbers.ts";
import { normalizeCommands } from "../../kernel/step/command.ts";
import { type MergeRules, type Preferred, type Sides, mergeData } from "./merge-data.ts";

/** Two changes of one baseline file as one. */
export interface MergedBaseline {
  /**
   * The file's text. With conflicts it contains git's markers, and taking one side of all of them gives a complete
   * file.
   */
  readonly text: string;
  /** The fields that both sides changed, and not to the same. Untrusted text. */
  readonly conflicts: readonly string[];
}

/**
 * Merges two changes of one baseline file by meaning, and recomputes its hashes. The texts are those of the common
 * ancestor (empty if both sides added the file) and of both sides. `file` is used in messages. The error is a sentence
 * on why they can't be merged this way: a damaged file would get valid hashes.
 */
export function mergeBaselines(
  texts: Sides<string>,
  { file, marker = 7 }: { readonly file: string; readonly marker?: number },
): Result<MergedBaseline, string> {
  const [base, ours, theirs] = [
    texts.base.trim() === "" ? ok({}) : fieldsOf(texts.base, file),
    fieldsOf(texts.ours, file),
    fieldsOf(texts.theirs, file),
  ];
  if (!base.ok) return base;
  if (!ours.ok) return ours;
  if (!theirs.ok) return theirs;
  const sides = numbered({ base: base.value, ours: ours.value, theirs: theirs.value });
  if (identity(sides.ours) !== identity(sides.theirs)) return err(`Cannot merge ${file}: its sides are two cases.`);
  const [our, their] = [mergedFile(sides, "ours"), mergedFile(sides, "theirs")];
  if (typeof our === "string") return err(`Cannot merge ${file}: ${our}.`);
  if (typeof their === "string") return err(`Cannot merge ${file}: ${their}.`);
  return ok({
    text: our.conflicts.length === 0 ? our.text : withMarkers(our.text, their.text, marker),
    conflicts: our.conflicts,
  });
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(text: string, file: string): Result<Fields, string> {
  const baseline = parseBaseline(text, file);
  if (!baseline.ok) return baseline;
  const plain = text.replace(/^\ufeff/, "");
  const problem = verifySerialized(plain);
  if (problem !== undefined) return err(`Cannot merge ${file}: ${problem}.`);
  const fields: unknown = JSON.parse(plain);
  return ok(isPlainObject(fields) ? withoutReferences(numberFields(fields)) : {});
}

/** Renumbers secrets, so that secrets at one position have one number on all sides. Each file numbers its own. */
function numbered({ base, ours, theirs }: Sides<Fields>): Sides<Fields> {
  const our = fieldsLike([base], ours);
  return { base, ours: our, theirs: fieldsLike([base, our], theirs) };
}

function fieldsLike(known: readonly Fields[], fields: Fields): Fields {
  const numbers = new PlaceholderNumbers({ stored: () => known, isIndependent: true });
  for (const side of known) pairSecrets(side, fields, numbers);
  const resolved = numbers.resolved(fields);
  return isPlainObject(resolved) ? resolved : fields;
}

function identity({ kind, step, test, name }: Fields): string {
  return stableStringify([kind, step ?? test, name ?? null]);
}

/** Fields that are not entered: an answer belongs to its request, what an input was read as to the input. */
const DEPTHS: Readonly<Record<string, MergeRules["depth"]>> = {
  input: "whole",
  calls: "elements",
  artifacts: "elements",
};
/** Recomputed from the other fields. */
const MADE: ReadonlySet<string> = new Set(["version", "inputHash", "hash", "hiddenBy"]);
/** Kinds of artifacts whose content also has fields of a baseline. */
const REPEATED: ReadonlySet<unknown> = new Set(["adapter-call", "step-output", "step-commands"]);

function mergedFile({ base, ours, theirs }: Sides<Fields>, prefer: Preferred): MergedBaseline | string {
  const names = [...new Set([ours, theirs].flatMap(Object.keys))].filter((name) => !MADE.has(name));
  const parts = names.map((name) => {
    const sides = { base: partOf(base, name), ours: partOf(ours, name), theirs: partOf(theirs, name) };
    return { name, ...mergeData(sides, { prefer, depth: DEPTHS[name] ?? "fields" }, [name]) };
  });
  const merged = Object.fromEntries(
    parts.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]),
  );
  const baseline = readFields(withParts(merged));
  if (typeof baseline === "string") return baseline;
  const conflicts = parts.flatMap((part) => part.conflicts.map((path) => formatPath([...path])));
  return { text: writtenBaseline(withHashes(baseline)), conflicts };
}

function partOf(fields: Fields, name: string): unknown {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (name !== "artifacts" || !isArray(value)) return value;
  return value.filter((artifact) => !isPlainObject(artifact) || !REPEATED.has(artifact["kind"]));
}

/** Restores the fields that repeat others. This happens before the hashes are computed, which cover all fields. */
function withParts(fields: Record<string, unknown>): Record<string, unknown> {
  if (fields["kind"] === "value") return { ...fields, hash: "" };
  const list = (name: string): readonly unknown[] => {
    const value = fields[name];
    return isArray(value) ? value : [];
  };
  const kinds = ["step-output", ...(list("commands").length > 0 ? ["step-commands"] : [])];
  const repeated = [...list("calls").map(() => "adapter-call"), ...kinds].map((kind) => ({ kind, hash: "" }));
  return { ...fields, inputHash: "", artifacts: [...list("artifacts"), ...repeated] };
}

function withHashes(baseline: Baseline): Baseline {
  if (baseline.kind === "value") return { ...baseline, hash: hashValueSync(baseline.value) };
  const ordered = { ...baseline, commands: normalizeCommands(baseline.commands) };
  const artifacts = snapshotOf(ordered).artifacts.map((artifact) => {
    const { content, kind } = artifact;
    if (content === undefined) return artifact;
    return { ...(REPEATED.has(kind) ? {} : { content }), kind, hash: hashValueSync(content) };
  });
  return { ...ordered, inputHash: inputHashOf(baseline.input), artifacts };
}

/** Both texts as one, with git's markers around the lines that differ. */
function withMarkers(ours: string, theirs: string, size: number): string {
  const lines: string[] = [];
  let [our, their] = [Array<string>(), Array<string>()];
  const close = (): void => {
    if (our.length + their.length === 0) return;
    const mark = (sign: string): string => sign.repeat(size);
    lines.push(`${mark("<")} ours`, ...our, mark("="), ...their, `${mark(">")} theirs`);
    [our, their] = [[], []];
  };
  for (const { kind, item } of editOf(ours.trimEnd().split("\n"), theirs.trimEnd().split("\n"))) {
    if (kind === "same") {
      close();
      lines.push(item);
    } else (kind === "removed" ? our : their).push(item);
  }
  close();
  return `${lines.join("\n")}\n`;
}
