import { recordTools } from "veritest";
import { z } from "zod";

const orders = new Map([
  [7, { item: "lamp", paid: 40, refunded: 0 }],
  [8, { item: "shelf", paid: 120, refunded: 0 }],
]);

const order = z.object({ order: z.number() });
const payment = order.extend({ amount: z.number() });

/** Finds an order. */
async function findOrder(input: unknown): Promise<object> {
  return orders.get(order.parse(input).order) ?? { error: "no such order" };
}

/** Pays money back: this changes something outside. */
async function refund(input: unknown): Promise<object> {
  const { order: number, amount } = payment.parse(input);
  const entry = orders.get(number);
  if (entry === undefined || entry.refunded + amount > entry.paid) return { error: "refused" };
  entry.refunded += amount;
  return { refunded: amount };
}

/** The tools as the app runs them. In a test a refund isn't paid: its stub answers. */
export const tools = recordTools(
  { findOrder, refund },
  {
    effects: { findOrder: "read", refund: "write" },
    stubs: { refund: (input: unknown) => ({ refunded: payment.parse(input).amount }) },
  },
);
