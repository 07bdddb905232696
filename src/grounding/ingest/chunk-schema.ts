import { z } from "zod";
import type { Chunk } from "./document.ts";

const place = z.int().min(0);

/** The fields of a {@link Chunk}, as they are stored and as an index gives them. */
export const chunkSchema: z.ZodType<Chunk, Chunk> = z.object({
  id: z.string(),
  document: z.string(),
  text: z.string(),
  page: z.int().min(1).exactOptional(),
  start: place,
  end: place,
  tokens: place,
});
