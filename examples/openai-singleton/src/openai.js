const { OpenAI } = require("openai");

/** The one client of this app. */
module.exports = { openai: new OpenAI() };
