import { readdirSync, readFileSync } from "node:fs";

/** One process at one moment, from /proc. */
export interface ProcessReading {
  readonly pid: number;
  readonly name: string;
  readonly cpuSeconds: number;
  readonly rssMiB: number;
  /** The highest it ever was (VmHWM). */
  readonly peakMiB: number;
}

/** Linux counts CPU time in hundredths of a second for everybody (USER_HZ). */
const TICKS_PER_SECOND = 100;

/** A process and all its descendants; those that are gone meanwhile are left out. */
export function readTree(pid: number): readonly ProcessReading[] {
  const children = Map.groupBy(allParents(), ([, parent]) => parent);
  const found: ProcessReading[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const reading = readProcess(next);
    if (reading === undefined) continue;
    found.push(reading);
    open.push(...(children.get(next) ?? []).map(([child]) => child));
  }
  return found;
}

export function readProcess(pid: number): ProcessReading | undefined {
  const stat = readProc(pid, "stat");
  const status = readProc(pid, "status");
  if (stat === undefined || status === undefined) return undefined;
  const fields = fieldsAfterName(stat);
  const mib = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024;
  return {
    pid,
    name: /\((.*)\)/.exec(stat)?.[1] ?? "?",
    // utime and stime: fields 14 and 15 of proc(5), of which the first two are cut off here.
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    rssMiB: mib("VmRSS"),
    peakMiB: mib("VmHWM"),
  };
}

function allParents(): readonly (readonly [pid: number, parent: number])[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const stat = readProc(pid, "stat");
    return stat === undefined ? [] : [[pid, Number(fieldsAfterName(stat)[1])] as const];
  });
}

/** A process may have any name, spaces and brackets included; what follows the last bracket is regular. */
function fieldsAfterName(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

export function sumOf(
  readings: readonly ProcessReading[],
  field: "cpuSeconds" | "rssMiB" | "peakMiB",
): number {
  return readings.reduce((sum, reading) => sum + reading[field], 0);
}
