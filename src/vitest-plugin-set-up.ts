import { setUpVitest } from "./set-up-vitest.ts";

// The plugin's set-up file. As a separate file the serializer cost every test file two requests to the main process
// and a module to load.
await setUpVitest({ serializer: true });
