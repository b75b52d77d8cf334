import { formatExplanation } from "@fleet-reloader/contracts/explanation";
import { explainInEach } from "@fleet-reloader/engine/ask/ask-each-cluster";
import { explanationText } from "@fleet-reloader/engine/ask/explanation-text";
import { defineCommand } from "../frame/command.ts";
import { openServer } from "../server/open-server.ts";
import { explainByServer } from "../server/served-asking.ts";
import { askClusters, exitCodeOfFailed, printAnswers } from "./ask-clusters.ts";
import { explainConfig } from "./ask-config.ts";
import { askedWorkload, refusedName } from "./asked-names.ts";

export const explainCommand = defineCommand({
  name: "explain",
  purpose: "Say whether a workload would roll now, and why",
  details: `It observes the workload and decides as a worker does, and it writes nothing. It also says which sources and keys the workload
uses, what its annotations mean, and what holds a roll. Give the settings of the services; in a container of theirs they are known.`,
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
    const client = openServer(config, io);
    const each =
      client === undefined
        ? await askClusters(config, io, ({ asking: { clusters, explain }, settings, signal }) =>
            explainInEach(workload, { clusters, explain, settings }, signal),
          )
        : await explainByServer(workload, config.clusters, client);
    const failed = exitCodeOfFailed(each.failed, io);
    if ("missing" in each) throw refusedName(word, each.missing);
    const answers = each.answers.map((one) => ({ text: explanationText(one), json: formatExplanation(one) }));
    printAnswers(answers, config.output, io);
    return failed;
  },
});
