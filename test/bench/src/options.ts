import { parseArgs } from "node:util";

export interface BenchOptions {
  readonly ids: readonly string[];
  readonly isReal: boolean;
  readonly isQuick: boolean;
  readonly size: number | undefined;
  readonly seed: number;
  readonly controllers: boolean;
}

export const usage = `usage: ./dev bench [--real] [--quick] [--size N] [--seed N] [--controllers] [ID…]

  --real         on a real etcd and kube-apiserver (built at the first use) instead of the simulated one
  --quick        small sizes: does everything run; the figures mean nothing
  --size N       instead of the benchmark's main size (changes, dependents, objects or events)
  --seed N       of the pauses between changes; each run prints its own
  --controllers  with the workload controllers`;

/** Throws with a message for people when the command line is not understood. */
export function readOptions(args: readonly string[], known: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      real: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      controllers: { type: "boolean", default: false },
      size: { type: "string" },
      seed: { type: "string" },
    },
  });
  const ids = positionals.map((id) => id.toUpperCase());
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new Error(`no benchmark ${unknown.join(", ")}; there are ${known.join(", ")}`);
  return {
    ids: ids.length === 0 ? known : known.filter((id) => ids.includes(id)),
    isReal: values.real,
    isQuick: values.quick,
    controllers: values.controllers,
    size: values.size === undefined ? undefined : wholeNumber("--size", values.size),
    seed: values.seed === undefined ? Math.floor(Math.random() * 1e9) : wholeNumber("--seed", values.seed),
  };
}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`${flag} ${text}: must be a whole number of at least 1`);
  return value;
}
