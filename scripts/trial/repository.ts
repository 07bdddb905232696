import { fileURLToPath } from "node:url";

/** The project's own directory. */
export const REPOSITORY: string = fileURLToPath(new URL("../../", import.meta.url));
