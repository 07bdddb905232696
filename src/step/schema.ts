/** One problem a schema found: where, and in words. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema's `validate` answers: the parsed value, or the issues it found. */
export type SchemaAnswer<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/**
 * What veritest asks of a schema: the Standard Schema v1 interface, which zod 4 implements.
 * `Input` is the type before parsing, `Output` the type after it.
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaAnswer<Output> | Promise<SchemaAnswer<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The type a schema accepts, before transforms and defaults. */
export type SchemaInput<S extends Schema> = S extends Schema<infer Input, unknown> ? Input : never;

/** The type a schema yields, after transforms and defaults. */
export type SchemaOutput<S extends Schema> = S extends Schema<infer _Input, infer Output> ? Output : never;
