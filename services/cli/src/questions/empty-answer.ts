import { Fault } from "@fleet-reloader/domain/fault";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { printable } from "@fleet-reloader/runtime/log/printable";
import type { CommandProcess } from "../frame/command.ts";
import type { FleetQuestions } from "./fleet-questions.ts";

/** What an empty answer was asked about; an empty text is no filter. */
export interface AskedAbout {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * Says of an empty answer which filter nothing has, as far as the fleet knows. It is no refusal: the history also knows clusters that are
 * registered no more, and workloads that are gone, under the names that they had.
 */
export async function warnOfEmptyAnswer(
  { cluster = "", name = "", namespace = "" }: AskedAbout,
  fleet: Pick<FleetQuestions, "clusters" | "managed">,
  { stderr }: Pick<CommandProcess, "stderr">,
): Promise<void> {
  const warn = (text: string) => stderr.write(`warning: ${printable(text)}\n`);
  try {
    if (cluster !== "") await fleet.clusters(cluster);
    const bare = name.slice(name.lastIndexOf("/") + 1);
    if (bare !== name) warn(`--name ${name}: a name has no kind; write --name ${bare}`);
    const hint = namespace === "" ? undefined : await namespaceHint(cluster, namespace, fleet);
    if (hint !== undefined) warn(hint);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    warn(`${error.code === "question.invalid" ? "--" : ""}${error.message}`);
  }
}

/** Their namespaces are those that somebody may have meant. */
const workloadsLookedAtMax = 1000;

async function namespaceHint(
  cluster: string,
  namespace: string,
  fleet: Pick<FleetQuestions, "managed">,
): Promise<string | undefined> {
  const { count } = await fleet.managed({ cluster, namespace }, 1);
  if (count > 0) return undefined;
  const { workloads } = await fleet.managed({ cluster, namespace: "" }, workloadsLookedAtMax);
  const near = nearestName(namespace, [...new Set(workloads.map(({ ref }) => ref.namespace))]);
  const meant = near === undefined ? "" : `; did you mean ${near}?`;
  return `--namespace ${namespace}: no workload there is known to be reloaded${meant}`;
}
