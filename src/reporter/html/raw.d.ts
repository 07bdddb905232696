/** The text of a file of the page, as Vite's `?raw` imports it and the build's plugin does. */
declare module "*?raw" {
  const text: string;
  export default text;
}
