const { text } = require("node:stream/consumers");
const { readOrder } = require("./read-order.js");

void text(process.stdin).then(readOrder).then(console.log);
