module.exports = {
  preset: "veritest/jest",
  setupFiles: ["veritest/fetch-setup"],
  // A model may take longer than the default, 5 seconds. A replay takes milliseconds.
  testTimeout: 60_000,
};
