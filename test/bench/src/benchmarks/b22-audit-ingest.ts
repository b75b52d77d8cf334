import { createHash } from "node:crypto";
import { Agent, request } from "node:https";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { type BenchContext, type Benchmark, type Outcome, RollBug } from "../benchmark.ts";
import { orEnd, startChild } from "../child/child.ts";
import { readProcess } from "../meter/process-tree.ts";
import type { ReceiverMethods } from "../receiver/methods.ts";
import { figure } from "../report/table.ts";
import { median } from "../stats/percentile.ts";
import { startTlsRedis } from "../tool/tls-redis.ts";
import { timeHints } from "./b22-write-to-hint.ts";

const markPerCpuSecond = 100_000;
/** The default batch of an API server (`--audit-webhook-batch-max-size`). */
const batchSize = 400;
const token = "a-token-of-the-api-server-of-the-bench";
/** The program is compiled while these come. */
const warmUpBatches = 200;
const fullRounds = 5;
/** Requests under way: of the three API servers of a cluster. */
const senders = 3;

export const auditIngest: Benchmark = {
  id: "B22",
  title: "Audit events into Redis, all over TLS: events per CPU second; with --real from a write to its hint",
  run: (context) => (context.isReal ? timeHints(context) : ingest(context)),
};

interface Kind {
  readonly what: string;
  readonly objects: number;
}

/** How many different objects the events of a batch are about: each is a hint, and each write of a source is remembered. */
const kinds: readonly Kind[] = [
  { what: "a controller that rewrites 4 ConfigMaps", objects: 4 },
  { what: "40 objects, most of them sources", objects: 40 },
  { what: "every event about another object", objects: batchSize },
];

interface Ingested extends Kind {
  readonly rounds: readonly Round[];
}

/** CPU seconds for the same bodies. */
interface Round {
  readonly events: number;
  readonly ours: number;
  readonly bare: number;
  readonly redis: number;
}

async function ingest({ isQuick, say, size }: BenchContext): Promise<Outcome> {
  const rounds = isQuick ? 1 : fullRounds;
  const batches = Math.ceil((size ?? (isQuick ? 20 : 2000)) / rounds);
  await using redis = await startTlsRedis();
  await using ours = await startReceiver("ours", redis);
  await using bare = await startReceiver("bare", redis);
  const receivers = { ours, bare };
  const ingested: Ingested[] = [];
  for (const kind of kinds) {
    say(kind.what);
    const bodies = Array.from({ length: 8 }, (_, at) => batchOf(kind.objects, at));
    for (const receiver of Object.values(receivers))
      await receiver.cpuSecondsFor(bodies, isQuick ? 1 : warmUpBatches);
    ingested.push({ ...kind, rounds: await measureRounds({ receivers, redis, bodies }, rounds, batches) });
  }
  return report(ingested, isQuick);
}

async function measureRounds(
  {
    receivers,
    redis,
    bodies,
  }: {
    readonly receivers: Readonly<Record<"ours" | "bare", Receiver>>;
    readonly redis: { readonly pid: number };
    readonly bodies: readonly Buffer[];
  },
  rounds: number,
  batches: number,
): Promise<readonly Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // In turn, so that a machine that gets slower is slower for both.
    const order = round % 2 === 0 ? (["ours", "bare"] as const) : (["bare", "ours"] as const);
    const redisBefore = readProcess(redis.pid)?.cpuSeconds ?? 0;
    const seconds = { ours: 0, bare: 0 };
    for (const arm of order) seconds[arm] = await receivers[arm].cpuSecondsFor(bodies, batches);
    const redisSeconds = (readProcess(redis.pid)?.cpuSeconds ?? 0) - redisBefore;
    measured.push({ ...seconds, events: batches * batchSize, redis: redisSeconds });
  }
  return measured;
}

interface Receiver extends AsyncDisposable {
  readonly cpuSecondsFor: (bodies: readonly Buffer[], batches: number) => Promise<number>;
}

async function startReceiver(
  arm: "ours" | "bare",
  redis: { readonly url: string; readonly caFile: string },
): Promise<Receiver> {
  const { certificatePem, keyPem } = createLoopbackCertificate();
  const child = startChild<ReceiverMethods>(new URL("../receiver/process.ts", import.meta.url), [], {
    NODE_EXTRA_CA_CERTS: redis.caFile,
  });
  const tokens = `bench sha256:${createHash("sha256").update(token).digest("hex")}`;
  const started =
    arm === "ours"
      ? child.ask("start", { redisUrl: redis.url, keyPem, certificatePem, tokens })
      : child.ask("startBare", { keyPem, certificatePem });
  const agent = new SendingAgent(await orEnd(child, started), certificatePem);
  return {
    async cpuSecondsFor(bodies, batches) {
      const before = await child.ask("cpuSeconds", undefined);
      await agent.send(bodies, batches);
      return (await child.ask("cpuSeconds", undefined)) - before;
    },
    async [Symbol.asyncDispose]() {
      agent[Symbol.dispose]();
      await child[Symbol.asyncDispose]();
    },
  };
}

/** Sends over a few connections that stay open, as API servers do. */
class SendingAgent {
  readonly #agent: Agent;
  readonly #port: number;

  constructor(port: number, ca: string) {
    this.#port = port;
    this.#agent = new Agent({ ca, keepAlive: true, maxSockets: senders });
  }

  /** Each sender sends the next body when the last is acknowledged. */
  async send(bodies: readonly Buffer[], count: number): Promise<void> {
    let sent = 0;
    const one = async (): Promise<void> => {
      while (sent < count) {
        sent += 1;
        const status = await this.#post(bodies[sent % bodies.length] ?? Buffer.alloc(0));
        if (status !== 200)
          throw new RollBug([`a batch was answered with ${status}, so its events are lost`]);
      }
    };
    await Promise.all(Array.from({ length: senders }, one));
  }

  #post(body: Buffer): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${token}`, "content-length": body.length };
    const options = { host: "127.0.0.1", port: this.#port, agent: this.#agent, method: "POST", headers };
    return new Promise((resolve, reject) => {
      const sending = request(options, (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode));
      });
      sending.once("error", reject);
      sending.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** Three of five events are about ConfigMaps and Secrets; times are of now, since older writes are not remembered. */
function batchOf(objects: number, number: number): Buffer {
  const items = Array.from({ length: batchSize }, (_, at) => eventOf(at % objects, number * batchSize + at));
  const list = { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items };
  return Buffer.from(JSON.stringify(list));
}

const resources = ["configmaps", "secrets", "configmaps", "deployments", "deployments"] as const;

function eventOf(object: number, number: number) {
  const resource = resources[object % resources.length] ?? "configmaps";
  const [group, path] = resource === "deployments" ? ["apps", "/apis/apps/v1"] : ["", "/api/v1"];
  const name = `settings-of-the-service-${object}`;
  const at = new Date(performance.timeOrigin + performance.now()).toISOString().replace("Z", "000Z");
  return {
    level: "Metadata",
    auditID: `4f4b1d5e-5f1c-4d5c-8d0e-${String(number).padStart(12, "0")}`,
    stage: "ResponseComplete",
    requestURI: `${path}/namespaces/shop/${resource}/${name}?fieldManager=controller`,
    verb: "patch",
    user: {
      username: "system:serviceaccount:shop:controller",
      groups: ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
    },
    sourceIPs: ["203.0.113.9"],
    userAgent: "controller/v1.2.3 (linux/amd64) kubernetes/0000000",
    objectRef: { resource, namespace: "shop", name, apiGroup: group, apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: at,
    stageTimestamp: at,
    annotations: { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" },
  };
}

function report(ingested: readonly Ingested[], isQuick: boolean): Outcome {
  const summed = ingested.map(({ what, rounds }) => {
    const sum = (of: keyof Round) => rounds.reduce((total, round) => total + round[of], 0);
    const perSecond = sum("events") / sum("ours");
    const bare = sum("events") / sum("bare");
    const ratio = median(rounds.map((round) => round.ours / round.bare));
    return { what, events: sum("events"), perSecond, bare, ratio, redis: sum("redis") };
  });
  return {
    tables: [
      {
        title: `batches of ${batchSize} events over ${senders} connections; the receiver alone is counted, Redis beside it`,
        columns: ["a batch is about", "events", "events/CPU s", "bare", "CPU ÷ bare", "Redis CPU s"],
        rows: summed.map(({ what, events, perSecond, bare, ratio, redis }) => [
          what,
          String(events),
          ...[perSecond, bare, ratio, redis].map(figure),
        ]),
      },
    ],
    marks: isQuick
      ? []
      : summed.map(({ what, perSecond }) => ({
          figure: `B22 ${what}: events per CPU second`,
          limit: `≥ ${markPerCpuSecond}`,
          value: figure(perSecond),
          isMet: perSecond >= markPerCpuSecond,
        })),
    notes: [
      "bare: a server that receives the same bodies over TLS, parses them with JSON.parse and drops them",
    ],
    measures: { ingested },
  };
}
