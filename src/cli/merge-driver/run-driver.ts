import { resolve } from "node:path";
import { messageOf } from "../../base/thrown.ts";
import { gitSync } from "../../files/git.ts";
import { placeWhole } from "../../files/durable.ts";
import { readText } from "../../files/read.ts";
import { mergeBaselines } from "../../settle/merge/merge-baselines.ts";

/** What git hands a merge driver: the files of the three sides, of which `ours` takes the result. */
export interface DriverCall {
  readonly cwd: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** How long conflict markers are. */
  readonly marker: number;
  /** The file's name in the work tree. */
  readonly file: string;
}

/** What a merge came to: sentences for whoever merges, none where there is nothing to decide. */
export interface DriverEnd {
  readonly clean: boolean;
  readonly told: readonly string[];
}

/** Merges one file for git, and leaves the result where git takes it. What is no whole baseline is merged by lines. */
export function runDriver(call: DriverCall): DriverEnd {
  const { cwd, marker, file } = call;
  const text = (name: string): string => readText(resolve(cwd, name)) ?? "";
  const merged = mergeBaselines(
    { base: text(call.base), ours: text(call.ours), theirs: text(call.theirs) },
    { file, marker },
  );
  if (!merged.ok) return { ...mergeLines(call), told: [`${merged.error} Its lines are merged instead, as git does.`] };
  try {
    placeWhole(resolve(cwd, call.ours), merged.value.text);
  } catch (thrown) {
    return { clean: false, told: [`Cannot write the merge of ${file}: ${messageOf(thrown)}.`] };
  }
  const { conflicts } = merged.value;
  if (conflicts.length === 0) return { clean: true, told: [] };
  return {
    clean: false,
    told: [
      `${file}: both sides changed ${conflicts.join(", ")}. Take one side of all its markers, hashes too, or delete ` +
        "the file and capture it again.",
    ],
  };
}

function mergeLines({ cwd, base, ours, theirs, marker }: DriverCall): Pick<DriverEnd, "clean"> {
  const labels = ["ours", "base", "theirs"].flatMap((label) => ["-L", label]);
  const merged = gitSync(["merge-file", `--marker-size=${marker}`, ...labels, ours, base, theirs], { cwd });
  return { clean: merged.ok };
}
