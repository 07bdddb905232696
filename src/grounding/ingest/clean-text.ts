/**
 * Makes a page's text readable as running text: ligatures become letters, soft hyphens and the hyphens of broken lines
 * go, and runs of blanks become one. Line breaks stay.
 */
export function cleanText(text: string): string {
  return (
    text
      .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize("NFKC"))
      .replace(/\r\n?/g, "\n")
      .replace(/\u00ad\n?/g, "")
      // A capital or digit after the break speaks for a real hyphen: "Smith-\nJones".
      .replace(/(\p{Ll})[-\u2010][ \t]?\n[ \t]*(?=\p{Ll}{2})/gu, "$1")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
  );
}
