/** What a small step answers: 0.6 KB as JSON, keys not in canonical order. */
export function stepResult(): object {
  return {
    output: {
      receipt: { vendor: "Corner Shop Ltd", date: "2025-03-14", total: "42.90", currency: "EUR", lines: 3 },
      items: [
        { name: "Paper", quantity: 2, price: "9.95", taxed: true },
        { name: "Ink", quantity: 1, price: "19.00", taxed: true },
        { name: "Stamps", quantity: 4, price: "1.00", taxed: false },
      ],
      confidence: 0.93,
    },
    events: [{ type: "extracted", payload: { fields: 5, model: "small-1", warnings: [] } }],
    commands: [{ type: "emit", topic: "receipt.extracted", payload: { vendor: "Corner Shop Ltd", total: "42.90" } }],
    artifacts: [{ kind: "step-output", hash: "sha256:5f2c1ab0" }],
  };
}
