import type { Socket } from "node:net";
import { Cluster, type Redis } from "ioredis";

/**
 * Sends the commands of one turn of the event loop in one write: ioredis makes one system call per command, and a roll needs a dozen. A turn ends
 * when everything that arrived is handled, so the write happens before the process reads or waits again, and delays nothing.
 */
export function gatherWrites(connection: Redis | Cluster): void {
  if (connection instanceof Cluster) {
    connection.on("+node", gatherOf);
  } else {
    gatherOf(connection);
  }
}

function gatherOf(server: Redis): void {
  server.on("connect", () => gather(server.stream));
}

function gather(socket: Pick<Socket, "write" | "cork" | "uncork">): void {
  let isGathering = false;
  const { write } = socket;
  socket.write = function gathered(this: Socket, ...given: Parameters<Socket["write"]>) {
    if (!isGathering) {
      isGathering = true;
      socket.cork();
      setImmediate(() => {
        isGathering = false;
        socket.uncork();
      });
    }
    return write.apply(socket, given);
  } as Socket["write"];
}
