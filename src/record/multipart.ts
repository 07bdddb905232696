/** One part of a multipart body. */
export interface BodyPart {
  /** Field name of a form. */
  readonly name?: string;
  readonly filename?: string;
  readonly type?: string;
  /** Other headers, and parameters of its Content-Disposition, by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly content: Buffer;
}

const BREAK = "\r\n";

/** Returns the boundary that a Content-Type names; undefined if the type isn't multipart. */
export function boundaryOf(contentType: string): string | undefined {
  const match = /^\s*multipart\/.*?;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

/** Returns the boundary of a form whose Content-Type doesn't name it; undefined for another body. */
export function boundaryIn(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 200).toString("latin1");
  const [, boundary] = /^--([^\r\n]{1,70})\r\nContent-Disposition: form-data;/i.exec(start) ?? [];
  return boundary !== undefined && bytes.subarray(-boundary.length - 8).includes(`--${boundary}--`)
    ? boundary
    : undefined;
}

/** Parses a multipart body; undefined if it doesn't have that form, for example because it was cut off. */
export function parseMultipart(body: Buffer, boundary: string): readonly BodyPart[] | undefined {
  // One character for each byte, so that positions are those of the bytes.
  const text = `${BREAK}${body.toString("latin1")}`;
  const marker = `${BREAK}--${Buffer.from(boundary).toString("latin1")}`;
  const [preamble, ...sections] = text.split(marker);
  const end = sections.pop();
  if (preamble === undefined || preamble.trim() !== "" || end === undefined || !/^--\s*$/.test(end)) return undefined;
  const parts = sections.map(partOf);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function partOf(section: string): BodyPart | undefined {
  const start = section.indexOf(BREAK);
  const lines = section.slice(start + BREAK.length);
  const end = lines.startsWith(BREAK) ? 0 : lines.indexOf(BREAK + BREAK);
  if (start < 0 || section.slice(0, start).trim() !== "" || end < 0) return undefined;
  const head = Buffer.from(lines.slice(0, end), "latin1").toString("utf8");
  const content = Buffer.from(lines.slice(end + (end === 0 ? BREAK.length : 2 * BREAK.length)), "latin1");
  const { "content-disposition": disposition = "", "content-type": type, ...rest } = headersOf(head);
  const [name, filename] = ["name", "filename"].map((field) => parameterOf(disposition, field));
  const isWhole = /^form-data(?:;\s*(?:file)?name=(?:"(?:[^"\\]|\\.)*"|[^;\s]+))*$/i.test(disposition);
  // The length follows from the content.
  const { "content-length": _length, ...others } = rest;
  const headers = { ...(!isWhole && disposition !== "" && { "content-disposition": disposition }), ...others };
  return {
    ...(name !== undefined && { name }),
    ...(filename !== undefined && { filename }),
    ...(type !== undefined && { type }),
    ...(Object.keys(headers).length > 0 && { headers }),
    content,
  };
}

/** Returns the headers of a part by their names in lower case; a line that begins with a space continues the last. */
function headersOf(head: string): Readonly<Record<string, string>> {
  const lines = head.replace(/\r\n[ \t]+/g, " ").split(BREAK);
  return Object.fromEntries(
    lines.flatMap((line) => {
      const at = line.indexOf(":");
      return at < 0 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]];
    }),
  );
}

function parameterOf(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, "i").exec(header);
  return match?.[1] ?? match?.[2];
}
