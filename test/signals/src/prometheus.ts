import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deathSignalPrefix } from "@fleet-reloader/control-plane/lifeline";
import { until } from "@fleet-reloader/testkit/until";
import { stringify } from "yaml";
import type { RuleGroups } from "../../../infra/signals/alert-rules.ts";
import { ensureSignalTool } from "./go-tools.ts";

/** A Prometheus on loopback. A busy machine may need seconds for a page of metrics. */
export interface TestPrometheus extends AsyncDisposable {
  /** Scrapes these addresses, `host:port`, and no others from now on. */
  scrape(targets: readonly string[]): void;
  /** The series that a query returns now. */
  query(expression: string): Promise<readonly unknown[]>;
  /** Names of the alerts that fire now. */
  firing(): Promise<readonly string[]>;
}

/** A Prometheus with these rules. A busy machine may take a while to start one. */
export async function startPrometheus(rules: RuleGroups): Promise<TestPrometheus> {
  const program = await ensureSignalTool("prometheus");
  const folder = mkdtempSync(join(tmpdir(), "fr-prometheus-"));
  const at = (name: string) => join(folder, name);
  const scrape = (targets: readonly string[]) =>
    writeFileSync(at("targets.json"), JSON.stringify([{ targets }]));
  writeFileSync(at("rules.yaml"), stringify(rules));
  writeFileSync(at("prometheus.yaml"), stringify(settings));
  scrape([]);
  const flags = [
    "--config.file=prometheus.yaml",
    "--storage.tsdb.path=data",
    "--web.listen-address=127.0.0.1:0",
  ];
  const [file = program, ...args] = [...deathSignalPrefix(), program, ...flags];
  const child = spawn(file, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString("utf8");
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = await addressOf(() => log).catch(async (error: unknown) => {
    await stop();
    throw new Error(`Prometheus did not start:\n${log}`, { cause: error });
  });
  return {
    scrape,
    query: async (expression) => {
      const { data } = await ask(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
      return data.result ?? [];
    },
    firing: async () => {
      const { data } = await ask(`${url}/api/v1/alerts`);
      return (data.alerts ?? [])
        .filter(({ state }) => state === "firing")
        .map(({ labels }) => labels.alertname);
    },
    [Symbol.asyncDispose]: stop,
  };
}

const settings = {
  global: { scrape_interval: "3s", scrape_timeout: "3s", evaluation_interval: "1s" },
  rule_files: ["rules.yaml"],
  scrape_configs: [
    { job_name: "fleet-reloader", file_sd_configs: [{ files: ["targets.json"], refresh_interval: "1s" }] },
  ],
};

interface Answer {
  readonly data: {
    readonly result?: readonly unknown[];
    readonly alerts?: readonly {
      readonly state: string;
      readonly labels: { readonly alertname: string };
    }[];
  };
}

async function ask(url: string): Promise<Answer> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`Prometheus answers ${answer.status}: ${await answer.text()}`);
  const body: Answer = JSON.parse(await answer.text());
  return body;
}

async function addressOf(log: () => string): Promise<string> {
  const port = await until(
    "Prometheus listens",
    () => /msg="?Listening on"?.*address=127\.0\.0\.1:(\d+)/.exec(log())?.[1],
    120_000,
  );
  const url = `http://127.0.0.1:${port}`;
  await until("Prometheus is ready", async () => (await fetch(`${url}/-/ready`)).ok, 120_000);
  return url;
}
