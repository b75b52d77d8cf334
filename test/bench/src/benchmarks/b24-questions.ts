import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import type { BenchContext, Benchmark, Outcome } from "../benchmark.ts";
import { figure } from "../report/table.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { askedFreeze, fleetClusterName, writeAskedFleet } from "../world/asked-fleet.ts";

const markClusters = 1000;
const workloadsEach = 100;
const clustersPerChange = 20;
const secondsMax = 2;
/** The best of them shows what a question costs, the worst what others on the machine add. */
const repeats = 3;
const main = join(import.meta.dirname, "../../../../services/cli/dist/main.mjs");

export const questions: Benchmark = {
  id: "B24",
  title:
    "Questions and acts of the command line: 1,000 clusters, 100,000 workloads, 40,000 records of the last hour",
  run,
};

async function run({ size, isQuick, say }: BenchContext): Promise<Outcome> {
  const clusters = size ?? (isQuick ? 20 : markClusters);
  const sizes = { clusters, workloadsEach, changes: clusters / 2, clustersPerChange, holds: clusters * 5 };
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  say(
    `writing ${clusters} clusters, ${clusters * workloadsEach} workloads, ${sizes.changes * clustersPerChange * 4} records`,
  );
  await writeAskedFleet(redis.url, sizes);
  const hub = stack.use(await startAskedHub(clusters));
  const env = { PATH: process.env.PATH ?? "", FLEET_RELOADER_REDIS_URL: redis.url };
  const answered: AskedQuestion[] = [];
  for (const { words, flags } of [
    ...questionsOfRedis.map((each) => ({ words: each, flags: [] })),
    ...hub.asked,
    ...actsOnRedis.map((each) => ({ words: each, flags: [] })),
  ]) {
    const question = words.join(" ");
    say(question);
    const times: Answer[] = [];
    for (let at = 0; at < repeats; at += 1) times.push(await ask([...words, ...flags], env));
    answered.push({ question, times });
  }
  return report(answered, { isMark: clusters === markClusters });
}

const first = fleetClusterName(0);
/** As long as an answer may be. */
const whole = ["--limit", "100000"] as const;
const questionsOfRedis: readonly (readonly string[])[] = [
  ["--help"],
  ["status"],
  ["clusters"],
  ["clusters", "-o", "json"],
  ["changes"],
  ["changes", ...whole, "-o", "json"],
  ["changes", "--change", "f1-7"],
  ["held"],
  ["held", ...whole],
  ["held", ...whole, "-o", "json"],
  ["managed"],
  ["managed", "--cluster", first],
  ["managed", ...whole],
  ["managed", ...whole, "-o", "json"],
  ["history", "--since", "1h", ...whole],
];

const why = ["--reason", "bench"] as const;
/** After the questions: each puts requests into the queue. */
const actsOnRedis: readonly (readonly string[])[] = [
  ["retry", "Deployment/application-7", "--namespace", "team-7", "--cluster", first, ...why],
  ["retry", "Deployment/application-7", ...why, "--yes"],
  ["replay", "Secret/credentials-7", ...why, "--yes"],
];

interface Answer {
  readonly seconds: number;
  /** Of its processor time, which says less of what else the machine does. */
  readonly cpuSeconds: number;
  readonly mib: number;
}

/** Tells its processor time, in microseconds, at its end. */
const tellsCpu = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => { const { user, system } = process.cpuUsage(); writeSync(3, String(user + system)); });',
)}`;

/** One run of the bundle, from its start to its end, with all that it prints. */
function ask(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Answer> {
  const beganAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", tellsCpu, main, ...words], {
      env,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    let bytes = 0;
    let errors = "";
    let cpuMicros = "";
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      cpuMicros += chunk.toString("utf8");
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      errors += chunk.toString("utf8");
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0)
        resolve({
          seconds: (performance.now() - beganAt) / 1000,
          cpuSeconds: Number(cpuMicros) / 1e6,
          mib: bytes / 1024 / 1024,
        });
      else reject(new Error(`${words.join(" ")} ended with ${code}: ${errors}`));
    });
  });
}

/** A hub at which all clusters are registered, and what is asked of one of them. */
async function startAskedHub(clusters: number) {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(dataFolder());
  const hub = stack.use(await startSimCluster({ name: "hub", controllers: false }));
  const member = stack.use(await startSimCluster({ name: "member", controllers: false }));
  const kubeconfig = Buffer.from(member.kubeconfig()).toString("base64");
  for (let at = 0; at < clusters; at += 1) hub.apply(registration(fleetClusterName(at), kubeconfig));
  member.apply({ apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name: "db" }, data: {} });
  for (let at = 0; at < workloadsEach; at += 1) member.apply(application(`api-${at}`));
  const file = join(folder, "hub");
  writeFileSync(file, hub.kubeconfig());
  const own = stack.move();
  const places = [
    ...["--kubeconfig", file, "--data-dir", folder, "--cluster", first, "--allow-loopback-http"],
    ...["--cluster-secrets", "multicluster-runtime=clusters"],
  ];
  const asked = [
    { words: ["explain", "Deployment/api-7", "-n", "shop"], flags: places },
    { words: ["plan", "Secret/db", "-n", "shop"], flags: places },
    {
      words: ["freeze", "--fleet", "--reason", askedFreeze.reason],
      flags: ["--by", askedFreeze.by, "--freeze-file", join(folder, "freezes.yaml")],
    },
  ];
  return {
    asked,
    [Symbol.asyncDispose]: () => own.disposeAsync(),
  };
}

function registration(name: string, kubeconfig: string) {
  const labels = { "sigs.k8s.io/multicluster-runtime-kubeconfig": "true" };
  const metadata = { namespace: "clusters", name, labels };
  return { apiVersion: "v1", kind: "Secret", metadata, data: { kubeconfig } };
}

function application(name: string) {
  const labels = { app: name };
  const container = { name: "main", image: "api:1", envFrom: [{ secretRef: { name: "db" } }] };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment" },
    metadata: { namespace: "shop", name, annotations: { "reloader.stakater.com/auto": "true" } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

interface AskedQuestion {
  readonly question: string;
  readonly times: readonly Answer[];
}

function report(asked: readonly AskedQuestion[], { isMark }: { readonly isMark: boolean }): Outcome {
  const rows = asked.map(({ question, times }) => {
    const seconds = times.map((each) => each.seconds);
    return {
      question,
      best: Math.min(...seconds),
      worst: Math.max(...seconds),
      cpu: Math.min(...times.map((each) => each.cpuSeconds)),
      mib: times[0]?.mib ?? 0,
    };
  });
  return {
    tables: [
      {
        title: `each question ${repeats} times, from the start of the process to its end`,
        columns: ["question", "s best", "s worst", "CPU s best", "MiB printed"],
        rows: rows.map(({ question, best, worst, cpu, mib }) => [
          question,
          ...[best, worst, cpu, mib].map(figure),
        ]),
      },
    ],
    marks: isMark
      ? rows.map(({ question, worst }) => ({
          figure: `B24 ${question}`,
          limit: `≤ ${secondsMax} s`,
          value: `${figure(worst)} s`,
          isMet: worst <= secondsMax,
        }))
      : [],
    notes: [],
    measures: asked,
  };
}
