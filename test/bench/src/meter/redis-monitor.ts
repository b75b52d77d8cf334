import { once } from "node:events";
import { createConnection } from "node:net";

/** Counts the commands that clients send to a Redis, on a unix socket or a port of the loopback, without those that its scripts give. */
export async function countClientCommands(
  address: string | number,
): Promise<{ readonly stop: () => number }> {
  const socket =
    typeof address === "string" ? createConnection(address) : createConnection(address, "127.0.0.1");
  socket.setEncoding("utf8");
  let count = 0;
  let rest = "";
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\r\n");
    rest = lines.pop() ?? "";
    count += lines.filter(isOfClient).length;
  });
  socket.write("MONITOR\r\n");
  await once(socket, "data");
  return {
    stop() {
      socket.destroy();
      return count;
    },
  };
}

/** `+1700000000.123456 [0 127.0.0.1:5000] "get" "x"`; of a script it says `[0 lua]`. */
export function isOfClient(line: string): boolean {
  return /^\+\d+\.\d+ \[\d+ (?!lua\])/.test(line);
}
