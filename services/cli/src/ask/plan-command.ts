import { formatSourcePlan } from "@fleet-reloader/contracts/explanation";
import type { AskedSource } from "@fleet-reloader/engine/ask/plan-source";
import type { SourcePlan } from "@fleet-reloader/engine/ask/source-plan";
import { sourcePlanText } from "@fleet-reloader/engine/ask/source-plan-text";
import { defineCommand } from "../frame/command.ts";
import { type AskedOf, askClusters, printAnswers } from "./ask-clusters.ts";
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
    const question = { source, keys: config.keys.length === 0 ? ("all" as const) : config.keys };
    const all = await askClusters(config, io, (asked) => planInEach(question, asked, word));
    const answers = all.map((each) => ({ text: sourcePlanText(each), json: formatSourcePlan(each) }));
    printAnswers(answers, config.output, io);
    return 0;
  },
});

/** A source that no cluster has and nobody waits for was probably misspelt. */
async function planInEach(
  question: AskedSource,
  { asking, signal }: AskedOf,
  word: string,
): Promise<readonly SourcePlan[]> {
  const all = await Promise.all(asking.clusters.map((cluster) => asking.plan(question, cluster, signal)));
  if (all.some(({ state, users }) => state !== "missing" || users.length > 0)) return all;
  const { namespace } = question.source;
  const nearest = all.map((plan) => plan.nearest).find((name) => name !== undefined);
  const meant = nearest === undefined ? "" : `; did you mean ${question.source.kind}/${nearest}?`;
  throw refusedName(word, `there is none in namespace ${namespace}, and no workload uses it${meant}`);
}
