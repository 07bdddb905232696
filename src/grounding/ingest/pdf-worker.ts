/**
 * What runs in the thread that reads a PDF, as text: a file of its own would have to be found again in every bundle. It
 * gets where unpdf is, the bytes and the limits, and answers with one message: `{ pages }`, `{ tooMany }`,
 * `{ tooLong: true }` or `{ name, message }`.
 */
export const PDF_WORKER: string = `
const { parentPort, workerData } = require("node:worker_threads");
const { unpdf, bytes, maxPages, maxCharacters } = workerData;
async function read() {
  const { getDocumentProxy } = await import(unpdf);
  const pdf = await getDocumentProxy(bytes, { verbosity: 0, isEvalSupported: false });
  if (pdf.numPages > maxPages) return { tooMany: pdf.numPages };
  const pages = [];
  let characters = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => (item.str ?? "") + (item.hasEOL ? "\\n" : "")).join("");
    characters += text.length;
    if (characters > maxCharacters) return { tooLong: true };
    pages.push(text);
    page.cleanup();
  }
  return { pages };
}
read().then(
  (answer) => parentPort.postMessage(answer),
  (error) => parentPort.postMessage({ name: String(error && error.name), message: String(error && error.message) }),
);
`;
