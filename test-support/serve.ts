import { type RequestListener, createServer } from "node:http";

/** A server on the loopback. */
export interface LocalServer {
  /** URL without a slash at its end. */
  readonly url: string;
  /** Stops the server and ends its connections. */
  readonly close: () => void;
}

/** Starts a server on a free port of the loopback. It keeps idle connections for a minute, since the machine may be busy. */
export async function serve(respond: RequestListener): Promise<LocalServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
