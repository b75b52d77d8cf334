import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@fleet-reloader/domain/json";
import { Hopeless, patienceMs, until } from "./until.ts";

export interface ProductOptions {
  readonly kubeconfig: string;
  /** `cli`: a command, which gets no flags but those of `args`. */
  readonly service?: "standalone" | "watcher" | "worker" | "dashboard" | "cli";
  readonly args?: readonly string[];
  /** Kept between starts when given; otherwise a folder of its own that is removed at the end. */
  readonly dataDir?: string;
  /** Puts something into the new data dir before the start. */
  readonly prepare?: (dataDir: string) => void;
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A service of the product as its own process, from the bundle that is shipped. Its disposal throws where it has ended by itself unasked. */
export interface Product extends AsyncDisposable {
  readonly pid: number;
  readonly dataDir: string;
  /** Every log line so far, parsed where it is JSON. */
  readonly log: readonly LogLine[];
  readonly output: () => string;
  /** When its last output was read, in milliseconds since 1970; undefined before the first. */
  readonly saidAt: () => number | undefined;
  /** `/ready`, `/live`, `/metrics` are below it; known once the service has started. */
  readonly healthUrl: () => Promise<string>;
  /** Waits until `/ready` answers 200. */
  readonly ready: (timeoutMs?: number) => Promise<void>;
  /** Waits until all that may still keep `/ready` from 200 are workloads that no worker has looked at. */
  readonly inSync: (timeoutMs?: number) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Exit code, or the signal that ended it. To ask for it is to expect that it ends. */
  readonly ended: Promise<number | string>;
  /** SIGTERM, then waits. Resolves to the exit code. */
  readonly stop: () => Promise<number | string>;
}

export interface LogLine {
  readonly msg: string;
  readonly [field: string]: unknown;
}

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** What `./dev run` gives to Node, too. */
function nodeArgs(): readonly string[] {
  return readFileSync(join(root, "infra/bundle/node-args"), "utf8").trim().split(" ");
}

function nodeEnv(): Readonly<Record<string, string>> {
  const lines = readFileSync(join(root, "infra/bundle/node-env"), "utf8").trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split("=")));
}

/** Starts a service on free ports, with JSON logs. */
export function startProduct(options: ProductOptions): Product {
  const service = options.service ?? "standalone";
  const main = join(root, "services", service, "dist/main.mjs");
  if (!existsSync(main)) throw new Error(`${main} is missing: run ./dev bundle first`);
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "fr-"));
  options.prepare?.(dataDir);
  const args = [
    ...(options.nodeArgs ?? nodeArgs()),
    main,
    ...(service === "cli" ? [] : placesOf(service, options.kubeconfig, dataDir)),
    ...(options.args ?? []),
  ];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...nodeEnv(), ...options.env },
  });
  const log: LogLine[] = [];
  const raw: string[] = [];
  collect(child, log, raw);
  let saidAt: number | undefined;
  for (const output of [child.stdout, child.stderr]) output.on("data", () => (saidAt = Date.now()));
  const ended = new Promise<number | string>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown")),
  );
  let isEnded = false;
  let isEndExpected = false;
  let unexpected: number | string = 0;
  void ended.then((code) => {
    isEnded = true;
    if (!isEndExpected) unexpected = code;
  });

  const healthUrl = async (): Promise<string> => {
    const started = await until(
      "the service has started",
      () => {
        if (isEnded) throw new Hopeless(`the service ended at its start:\n${raw.join("")}`);
        return log.find((line) => line.msg.endsWith("started") && ("health" in line || "listen" in line));
      },
      patienceMs,
    );
    return typeof started.health === "string"
      ? new URL(started.health).origin
      : `http://${String(started.listen)}`;
  };
  /** Until what `/ready` answers will do. */
  const answers = async (
    what: string,
    willDo: (status: number, body: string) => boolean,
    timeoutMs: number,
  ): Promise<void> => {
    const url = await healthUrl();
    let said = "";
    const isSo = async (): Promise<boolean> => {
      if (isEnded) throw new Hopeless("the service has ended");
      const answer = await fetch(`${url}/ready`);
      said = await answer.text();
      return willDo(answer.status, said);
    };
    await until(what, isSo, timeoutMs).catch((error: unknown) => {
      throw new Error(`not ready: ${said}\n${raw.join("")}`, { cause: error });
    });
  };
  const stop = async (): Promise<number | string> => {
    isEndExpected = true;
    if (!isEnded) child.kill("SIGTERM");
    return await ended;
  };
  return {
    pid: child.pid ?? -1,
    dataDir,
    log,
    output: () => raw.join(""),
    saidAt: () => saidAt,
    healthUrl,
    ready: (timeoutMs = patienceMs) => answers("/ready answers 200", (status) => status === 200, timeoutMs),
    inSync: (timeoutMs = patienceMs) => answers("every stream is in sync", isInSync, timeoutMs),
    signal(signal) {
      isEndExpected ||= signal !== "SIGSTOP" && signal !== "SIGCONT";
      child.kill(signal);
    },
    get ended() {
      isEndExpected = true;
      return ended;
    },
    stop,
    async [Symbol.asyncDispose]() {
      child.kill("SIGCONT");
      await stop();
      // A child of the embedded Redis may still write.
      if (options.dataDir === undefined)
        await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      if (unexpected !== 0)
        throw new Error(`the service ended by itself with ${unexpected}:\n${raw.join("")}`);
    },
  };
}

/** Flags that say where a service finds and puts things. */
function placesOf(service: string, kubeconfig: string, dataDir: string): readonly string[] {
  return [
    ...["--kubeconfig", kubeconfig, "--log-format", "json", "--listen-address", "127.0.0.1:0"],
    ...["--data-dir", dataDir],
    ...(service === "standalone" || service === "dashboard" ? ["--dashboard-address", "127.0.0.1:0"] : []),
  ];
}

function isInSync(status: number, body: string): boolean {
  const lines = body.trimEnd().split("\n");
  return status === 200 || lines.every((line) => /^note: |workloads observed$/.test(line));
}

function collect(child: ChildProcess, log: LogLine[], raw: string[]): void {
  let rest = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    raw.push(chunk.toString("utf8"));
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) log.push(parseLine(line));
  });
  child.stderr?.on("data", (chunk: Buffer) => raw.push(chunk.toString("utf8")));
}

function parseLine(line: string): LogLine {
  const value = parseJson(line);
  if (typeof value === "object" && value !== null && "msg" in value)
    return { ...value, msg: String(value.msg) };
  // Not one of ours; kept as text.
  return { msg: line };
}
