import { formatExplanation } from "@fleet-reloader/contracts/explanation";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Explanation } from "@fleet-reloader/engine/ask/explanation";
import { explanationText } from "@fleet-reloader/engine/ask/explanation-text";
import { missingWorkload } from "@fleet-reloader/engine/ask/missing-workload";
import { defineCommand } from "../frame/command.ts";
import { type AskedOf, askClusters, printAnswers } from "./ask-clusters.ts";
import { explainConfig } from "./ask-config.ts";
import { askedWorkload, refusedName } from "./asked-names.ts";

export const explainCommand = defineCommand({
  name: "explain",
  purpose: "Say whether a workload would roll now, and why",
  details: `It observes the workload and decides as a worker does, and it writes nothing. It also says which sources and keys the workload
uses, what its annotations mean, and what holds a roll. Settings are those of the services; in a pod of theirs the variables are set.`,
  examples: [
    "fleet-reloader explain Deployment/api -n shop",
    "fleet-reloader explain deploy/api -n shop --context nova --redis-url redis://127.0.0.1:6379 -o json",
    "fleet-reloader explain deploy/api -n shop --kubeconfig hub.yaml --cluster-secrets cluster-api --cluster prod-eu",
  ],
  arguments: {
    placeholder: "KIND/NAME",
    mend: "write kind and name of a workload, for example Deployment/api",
    min: 1,
    max: 1,
  },
  flags: explainConfig,
  async run({ config, words: [word = ""] }, io) {
    const workload = askedWorkload(word, config.inNamespace);
    const all = await askClusters(config, io, (asked) => explainInEach(workload, asked, word));
    const answers = all.map((each) => ({ text: explanationText(each), json: formatExplanation(each) }));
    printAnswers(answers, config.output, io);
    return 0;
  },
});

/** A workload that no cluster has was probably misspelt. */
async function explainInEach(
  workload: WorkloadRef,
  { asking, settings, signal }: AskedOf,
  word: string,
): Promise<readonly Explanation[]> {
  const { clusters, explain } = asking;
  const all = await Promise.all(
    clusters.map((cluster) => explain({ cluster: cluster.api.cluster, workload }, cluster, signal)),
  );
  const [first] = clusters;
  const isGone = ({ verdict }: Explanation) =>
    verdict.type === "unserved" && verdict.reason === "WorkloadGone";
  if (first === undefined || !all.every(isGone)) return all;
  throw refusedName(word, await missingWorkload(workload, first, { settings, signal }));
}
