const { openai } = require("./openai.js");

const PROMPT = 'Read the order. Answer in JSON: {"lines": [{"item": string, "quantity": number}]}';

/** Reads what a letter orders, and counts the pieces. */
async function readOrder(letter) {
  const response = await openai.chat.completions.create({
    model: process.env.MODEL ?? "gpt-4.1-mini",
    response_format: { type: "json_object" },
    messages: [
      { role: "system", content: PROMPT },
      { role: "user", content: letter },
    ],
  });
  const { lines } = JSON.parse(response.choices[0].message.content);
  return { lines, pieces: lines.reduce((sum, { quantity }) => sum + quantity, 0) };
}

module.exports = { readOrder };
