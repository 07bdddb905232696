/** The text of a file of the page, as Vite's `?raw` imports it and the build's plugin does. */
declare module "*?raw" {
  const text: string;
  export default text;
}

/** A module of the page and all that it imports, bundled to one script: see scripts/bundle-page.ts. */
declare module "*?page" {
  const script: string;
  export default script;
}
