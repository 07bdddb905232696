/** Returns a Markdown page without its blocks of code, whose brackets aren't links and whose "#" aren't headings. */
export const proseOf = (text: string): string => text.replaceAll(/^ *```[^]*?^ *```$/gm, "");

/** Returns the anchor that GitHub gives to a heading. */
export const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** Returns the anchors of a page's headings. */
export function headingSlugs(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  return new Set(
    [...proseOf(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => {
      const name = slugOf(heading);
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return before === 0 ? name : `${name}-${String(before)}`;
    }),
  );
}
