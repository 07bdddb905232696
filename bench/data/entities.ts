/** One record, some 220 bytes as JSON. */
export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly amount: number;
  readonly active: boolean;
  readonly tags: readonly string[];
  readonly address: { readonly street: string; readonly city: string; readonly zip: string };
  readonly note: string;
}

/** What the cases compare. */
export interface Document {
  readonly items: readonly Entity[];
}

/** Makes a document of as many entities, the same each time. */
export function documentOf(count: number): Document {
  return { items: Array.from({ length: count }, (_, index) => entityOf(index)) };
}

/** A deep copy in which one field in the middle is another. */
export function withOneChange(document: Document): Document {
  const { items } = structuredClone(document);
  const middle = Math.floor(items.length / 2);
  return { items: items.map((item, index) => (index === middle ? { ...item, amount: item.amount + 1 } : item)) };
}

/** A deep copy in another order, the same each time. */
export function shuffled(document: Document): Document {
  const { items } = structuredClone(document);
  let state = 1;
  const ordered = items.map((item) => {
    // A small linear congruential generator: the order must not differ from run to run.
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return { item, place: state };
  });
  return { items: ordered.toSorted((a, b) => a.place - b.place).map(({ item }) => item) };
}

function entityOf(index: number): Entity {
  return {
    id: `entity-${index}`,
    name: `Name of entity number ${index}`,
    amount: (index * 7919) % 100_000,
    active: index % 3 === 0,
    tags: [`group-${index % 17}`, `batch-${index % 5}`],
    address: {
      street: `${index % 400} High Street`,
      city: `City ${index % 90}`,
      zip: String(10_000 + (index % 89_999)),
    },
    note: "ordinary",
  };
}
