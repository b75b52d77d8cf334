import { basename } from "node:path";
import { parseArgs } from "node:util";
import type { PeerProgram } from "./tool/peer.ts";
import { optInOf } from "./tool/tool.ts";

export interface BenchOptions {
  readonly ids: readonly string[];
  readonly isReal: boolean;
  readonly isQuick: boolean;
  readonly size: number | undefined;
  readonly seed: number;
  readonly controllers: boolean;
  readonly peer: PeerProgram | undefined;
  /** Results of an earlier run. */
  readonly compareWith: string | undefined;
}

const defaultOptIn = optInOf.ours;

export const usage = `usage: ./dev bench [--real] [--quick] [--size N] [--seed N] [--controllers] [ID…]
       ./dev bench [--real] --peer PATH [--peer-args TEXT] [--peer-name NAME] [--peer-opt-in KEY] [--compare FILE] [B01] [B03]

  --real         on a real etcd and kube-apiserver (built at the first use) instead of the simulated one
  --quick        small sizes: does everything run; the figures mean nothing
  --size N       instead of the benchmark's main size (changes, dependents, objects or events)
  --seed N       of the pauses between changes; each run prints its own
  --controllers  with the workload controllers

  --peer PATH    beside another reloader: the program is started with KUBECONFIG in its environment, in turn with ours and with a bare client
  --peer-args    its arguments, separated by spaces
  --peer-name    what tables call it (default: the name of the file)
  --peer-opt-in  the annotation by which a workload opts in to it, with the value true (default: ${defaultOptIn})
  --compare FILE by how much our ratios moved since the run that wrote FILE; it needs no peer`;

/** Those of all benchmarks, and those that compare. */
export interface KnownIds {
  readonly all: readonly string[];
  readonly comparisons: readonly string[];
}

/** Throws with a message for people when the command line is not understood. */
export function readOptions(args: readonly string[], ids: KnownIds): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      real: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      controllers: { type: "boolean", default: false },
      size: { type: "string" },
      seed: { type: "string" },
      peer: { type: "string" },
      "peer-args": { type: "string" },
      "peer-name": { type: "string" },
      "peer-opt-in": { type: "string" },
      compare: { type: "string" },
    },
  });
  const peer = readPeer(values);
  const known = peer === undefined && values.compare === undefined ? ids.all : ids.comparisons;
  const asked = positionals.map((id) => id.toUpperCase());
  const unknown = asked.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new Error(`no benchmark ${unknown.join(", ")} here; there are ${known.join(", ")}`);
  return {
    ids: asked.length === 0 ? known : known.filter((id) => asked.includes(id)),
    peer,
    compareWith: values.compare,
    isReal: values.real,
    isQuick: values.quick,
    controllers: values.controllers,
    size: values.size === undefined ? undefined : wholeNumber("--size", values.size),
    seed: values.seed === undefined ? Math.floor(Math.random() * 1e9) : wholeNumber("--seed", values.seed),
  };
}

interface PeerFlags {
  readonly peer?: string | undefined;
  readonly "peer-args"?: string | undefined;
  readonly "peer-name"?: string | undefined;
  readonly "peer-opt-in"?: string | undefined;
}

function readPeer(flags: PeerFlags): PeerProgram | undefined {
  const { peer: path } = flags;
  if (path === undefined) {
    const alone = Object.entries(flags).find(
      ([name, value]) => name.startsWith("peer-") && value !== undefined,
    );
    if (alone !== undefined) throw new Error(`--${alone[0]}: needs --peer PATH`);
    return undefined;
  }
  return {
    name: flags["peer-name"] ?? basename(path),
    path,
    args: (flags["peer-args"] ?? "").split(" ").filter((word) => word !== ""),
    optIn: flags["peer-opt-in"] ?? defaultOptIn,
  };
}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`${flag} ${text}: must be a whole number of at least 1`);
  return value;
}
