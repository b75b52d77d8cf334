import { once } from "node:events";
import { createConnection } from "node:net";

export interface RedisReading {
  readonly commands: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly usedMiB: number;
  readonly cpuSeconds: number;
}

/** Asks a Redis, on a unix socket or a port of the loopback, about itself; no client package needed for one word. */
export async function readRedis(address: string | number): Promise<RedisReading> {
  const socket =
    typeof address === "string" ? createConnection(address) : createConnection(address, "127.0.0.1");
  socket.setEncoding("utf8");
  let answer = "";
  socket.on("data", (chunk: string) => {
    answer += chunk;
  });
  // QUIT: it closes after the answer.
  socket.write("INFO all\r\nQUIT\r\n");
  await once(socket, "close");
  const number = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(answer)?.[1] ?? 0);
  return {
    commands: number("total_commands_processed"),
    inputBytes: number("total_net_input_bytes"),
    outputBytes: number("total_net_output_bytes"),
    usedMiB: number("used_memory") / 1024 / 1024,
    cpuSeconds: number("used_cpu_sys") + number("used_cpu_user"),
  };
}
