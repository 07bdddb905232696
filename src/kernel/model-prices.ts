/** Price of a model in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** Prices by the names of models; `*` matches any characters. */
export type Prices = Readonly<Record<string, Price>>;
