import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below every common ephemeral range (Linux 32768-60999, macOS and IANA 49152-65535): the kernel hands none of these to an outgoing
 * connection or to whoever asks for any port, so a port stays free while its server is down between stop and start. Another test may
 * still draw the same one: whoever finds the port taken draws again.
 */
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;
const DRAWS_MAX = 100;

/** A loopback TCP port that nobody listens on at this moment. */
export async function pickFreePort(): Promise<number> {
  for (let draw = 0; draw < DRAWS_MAX; draw += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(
    `no free port found in ${DRAWS_MAX} draws from ${FIRST_PORT}-${FIRST_PORT + PORT_COUNT - 1}`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}
