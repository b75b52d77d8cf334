import { Fault } from "@fleet-reloader/domain/fault";
import { readRegistrations } from "@fleet-reloader/kube/registration/read-once";
import { openRegistration } from "@fleet-reloader/kube/registration/sources";
import { registrationSourcesOf } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { systemRandom } from "@fleet-reloader/runtime/process/system-clock";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { type AskedRegistrationsOptions, hubPatienceMs } from "./asked-registrations.ts";

/** As many names as a person reads. */
export const clustersNamedMax = 5;

/**
 * The name of the only cluster of the kubeconfig folders. Faults with `config.invalid` when they have none or several, and with
 * `kube.unreachable` when one cannot be read.
 */
export async function onlyFolderCluster(
  { clock, config, env, log }: Omit<AskedRegistrationsOptions, "registered">,
  signal: AbortSignal,
): Promise<string> {
  const sources = registrationSourcesOf(config, env);
  const meter = { registrations: () => undefined };
  const open = openRegistration({ sources, userAgent, clock, random: systemRandom, log, meter });
  try {
    const names = new Set<string>();
    for (const provider of open.providers) {
      const read = await readRegistrations(provider, { clock, patienceMs: hubPatienceMs }, signal);
      if ("problems" in read)
        throw new Fault("kube.unreachable", `--cluster: it is missing, and ${read.problems.join("; ")}`);
      for (const { name } of read.registrations) names.add(name);
    }
    return onlyOne([...names], sources.kubeconfigDirs.join(", "));
  } finally {
    await open.close();
  }
}

function onlyOne(names: readonly string[], folders: string): string {
  const [first] = names;
  if (first === undefined)
    throw new Fault(
      "config.invalid",
      `--kubeconfig-dir ${folders}: it has no kubeconfig; put one there, or name one with --kubeconfig`,
    );
  if (names.length === 1) return first;
  throw missingCluster(`--kubeconfig-dir ${folders}`, names.slice(0, clustersNamedMax), names.length);
}

/** The fault of a question that names no cluster, where there are `count`. `names` are those that a person may read. */
export function missingCluster(whose: string, names: readonly string[], count: number): Fault {
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  return new Fault(
    "config.invalid",
    `--cluster: it is missing, and ${whose} has ${count} clusters; write one or more of ${names.join(", ")}${more}`,
  );
}
