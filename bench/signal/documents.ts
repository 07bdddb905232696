import { readFileSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { type Draw, drawOf } from "./draw.ts";

/** A document that a step reads. */
export interface SignalDocument {
  readonly id: string;
  readonly text: string;
}

const lineSchema: z.ZodType<SignalDocument> = z.object({ id: z.string(), text: z.string() });

/**
 * Reads one's own documents: `.txt` files of a folder, or a file of JSON lines with `id` and `text`. Throws where there
 * are none.
 */
export function readDocuments(path: string): readonly SignalDocument[] {
  const found = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith(".txt"))
        .toSorted()
        .map((name) => ({ id: basename(name, ".txt"), text: readFileSync(join(path, name), "utf8") }))
    : readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => lineSchema.parse(JSON.parse(line)));
  if (found.length === 0) throw new Error(`${path} holds no documents: .txt files, or JSON lines of { id, text }.`);
  return found;
}

/** Receipts that nobody was ever given, the same ones each time. */
export function syntheticReceipts(count: number): readonly SignalDocument[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `made-${String(index).padStart(3, "0")}`;
    return { id, text: receiptText(drawOf("receipt", id)) };
  });
}

const SHOPS = ["NORTHGATE PAPER LTD", "HARBOUR CAFÉ & BAKERY", "SEN & DAUGHTERS", "LINDEN HARDWARE SDN BHD"] as const;
const STREETS = ["MILL LANE", "JALAN TERATAI", "QUAY ROAD", "UNTER DEN LINDEN"] as const;
const CITIES = ["81100 JOHOR BAHRU", "LEEDS LS1 4AP", "10117 BERLIN", "55100 KUALA LUMPUR"] as const;
const GOODS = [
  "A4 PAPER 80G",
  "INK BLACK",
  "OAT LOAF",
  "KAYA TOAST",
  "WOOD SCREW 4X40",
  "LATTE",
  "GLUE STICK",
] as const;

function receiptText(generated: Draw): string {
  const cents = Array.from({ length: 2 + generated.below(7) }, () => 95 + generated.below(9000));
  const money = (amount: number): string => (amount / 100).toFixed(2);
  const total = cents.reduce((sum, amount) => sum + amount, 0);
  const two = (number: number): string => String(number).padStart(2, "0");
  return [
    generated.pick(SHOPS),
    `(${100_000 + generated.below(900_000)}-${generated.pick(["A", "K", "W"])})`,
    `NO ${1 + generated.below(250)}, ${generated.pick(STREETS)},`,
    generated.pick(CITIES),
    "TAX INVOICE",
    `DOC NO : CS${two(generated.below(100))}${10_000 + generated.below(90_000)}`,
    `DATE: ${two(1 + generated.below(28))}/${two(1 + generated.below(12))}/20${two(18 + generated.below(8))} ${two(generated.below(24))}:${two(generated.below(60))}`,
    "ITEM  QTY  AMOUNT",
    ...cents.flatMap((amount) => [generated.pick(GOODS), `1 PC  ${money(amount)}`]),
    `TOTAL (RM): ${money(total)}`,
    `CASH: ${money(Math.ceil(total / 1000) * 1000)}`,
    "GOODS SOLD ARE NOT RETURNABLE OR EXCHANGEABLE",
    "THANK YOU, PLEASE COME AGAIN!",
  ].join("\n");
}
