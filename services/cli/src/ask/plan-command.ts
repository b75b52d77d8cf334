import { formatSourcePlan } from "@fleet-reloader/contracts/explanation";
import { planInEach } from "@fleet-reloader/engine/ask/ask-each-cluster";
import { sourcePlanText } from "@fleet-reloader/engine/ask/source-plan-text";
import { defineCommand } from "../frame/command.ts";
import { openServer } from "../server/open-server.ts";
import { planByServer } from "../server/served-asking.ts";
import { askClusters, exitCodeOfFailed, printAnswers } from "./ask-clusters.ts";
import { planConfig } from "./ask-config.ts";
import { askedSource, refusedName } from "./asked-names.ts";

export const planCommand = defineCommand({
  name: "plan",
  purpose: "Say what would follow from a change of a ConfigMap, Secret or SecretProviderClass",
  details: `It lists who uses the source: what would roll, what is held, and how the content comes to pods that do not roll. Each workload
is decided on as a worker would after the change. It writes nothing.`,
  examples: [
    "fleet-reloader plan Secret/db -n shop",
    "fleet-reloader plan cm/settings -n shop --key log-level --context nova --context otech62",
  ],
  arguments: {
    placeholder: "KIND/NAME",
    mend: "write kind and name of a source, for example Secret/db",
    min: 1,
    max: 1,
  },
  flags: planConfig,
  async run({ config, words: [word = ""] }, io) {
    const source = askedSource(word, config.inNamespace);
    const { clusters: named, keys } = config;
    const question = { source, keys: keys.length === 0 ? ("all" as const) : keys };
    const client = openServer(config, io);
    const each =
      client === undefined
        ? await askClusters(config, io, ({ asking: { clusters, plan }, signal }) =>
            planInEach(question, { clusters, plan }, signal),
          )
        : await planByServer({ source, keys }, named, client);
    const failed = exitCodeOfFailed(each.failed, io);
    if ("missing" in each) throw refusedName(word, each.missing);
    const answers = each.answers.map((one) => ({ text: sourcePlanText(one), json: formatSourcePlan(one) }));
    printAnswers(answers, config.output, io);
    return failed;
  },
});
