import { connect } from "node:net";
import { type RedisNode, startRedisNode } from "./redis-server.ts";
import { until } from "./until.ts";

/** A Redis Cluster of a test's own: masters on the loopback that have the slots between them. */
export interface TestRedisCluster extends AsyncDisposable {
  /** As `--redis-url` takes it. */
  readonly url: string;
  readonly nodes: readonly RedisNode[];
}

const slotCount = 16_384;
/** Three is the fewest with which the nodes themselves accept a cluster. */
const nodeCount = 3;

export async function startRedisCluster(): Promise<TestRedisCluster> {
  const started = await Promise.all(Array.from({ length: nodeCount }, () => startRedisNode("cluster")));
  const [first] = started;
  for (const [i, node] of started.entries()) {
    const from = Math.floor((slotCount * i) / nodeCount);
    const to = Math.floor((slotCount * (i + 1)) / nodeCount) - 1;
    await ask(node.port, `CLUSTER ADDSLOTS ${range(from, to).join(" ")}`);
    // Two that think of the same epoch would have to settle it first.
    await ask(node.port, `CLUSTER SET-CONFIG-EPOCH ${i + 1}`);
    if (first !== undefined && node !== first)
      await ask(first.port, `CLUSTER MEET 127.0.0.1 ${node.port} ${node.busPort}`);
  }
  const isFormed = async (): Promise<boolean> => {
    const told = await Promise.all(started.map((node) => ask(node.port, "CLUSTER INFO")));
    return told.every((info) => info.includes("cluster_state:ok") && info.includes("cluster_size:3"));
  };
  await until("the nodes are a cluster", isFormed);
  return {
    url: `redis-cluster://${started.map((node) => `127.0.0.1:${node.port}`).join(",")}`,
    nodes: started,
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((node) => node[Symbol.asyncDispose]()));
    },
  };
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** One command on one node, written as a person would into a terminal; what it answers. */
async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  try {
    const answered = Promise.withResolvers<string>();
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const length = /^\$(\d+)\r\n/.exec(text);
      const isWhole = length === null ? text.endsWith("\r\n") : text.length >= Number(length[1]);
      if (isWhole) answered.resolve(text);
    });
    socket.on("error", answered.reject);
    socket.write(`${command}\r\n`);
    const answer = await answered.promise;
    if (answer.startsWith("-")) throw new Error(`${command.slice(0, 40)}: ${answer}`);
    return answer;
  } finally {
    socket.destroy();
  }
}
