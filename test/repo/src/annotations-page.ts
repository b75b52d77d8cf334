import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { markAnnotation } from "@fleet-reloader/domain/annotation/own-keys";
import { lastReloadedFromAnnotation } from "@fleet-reloader/domain/compat/last-reloaded-from";
import { lastRunAnnotation } from "@fleet-reloader/domain/kind/cron-job";
import { lastRollAnnotation } from "@fleet-reloader/domain/kind/rollout";
import { annotationFields } from "@fleet-reloader/runtime/config/fields/annotation-fields";
import { defaultOf } from "@fleet-reloader/runtime/config/help";
import {
  annotationGuide,
  type GuidedAnnotation,
  type GuideSection,
  guideSources,
} from "./annotation-guide.ts";

/** `docs/annotations.md`, from the guide. */
export function annotationsPage(made: string): string {
  const written = [
    ...[defaultDialect.pausedAt, lastReloadedFromAnnotation, "fleet-reloader.io/carried-<key id>"],
    ...[markAnnotation, lastRunAnnotation, lastRollAnnotation],
  ];
  return `# Annotations

${made} This page is for teams that deploy applications. It sorts the
annotations by what you want. Most workloads need one or two of them.

${wishTable()}

Four annotations decide about a kind of source: \`auto\`, \`auto\` of the kind, \`reload\` of the kind, and \`search\`. If the workload itself has
one of them, they are read from the workload; otherwise they are read from its pod template. The keys have the spelling of Stakater
Reloader, so its manifests stay as they are; [compatibility](compatibility.md#annotations) lists the differences. Where an operator has
renamed a key, write that name; each section names the flag.

A source and the workloads that it rolls lie in one namespace. \`fleet-reloader lint FILE\` finds mistakes in a manifest before it reaches a
cluster ([lint](lint.md)), and \`fleet-reloader explain KIND/NAME -n NAMESPACE\` says what the annotations of a workload mean
([questions](ask.md)).

**The examples** are about a Deployment \`api\`. Its pod template uses ${listOf(guideSources.slice(0, 3))}.
Its namespace also has ${listOf(guideSources.slice(3))}, which the pod template does not use. A test reads
each example as the product does, and compares what it means with the sentence below it.

${annotationGuide.map(guideText).join("\n\n")}

## Written by the product

Leave these to the product, and do not copy them into manifests: ${written.map((key) => `\`${key}\``).join(", ")}.
`;
}

function wishTable(): string {
  const rows = annotationGuide.flatMap(({ annotations }) =>
    annotations.map(
      ({ key, wish, on, isPeers }) =>
        `| ${wish} | [\`${key}\`](#${anchorOf(key)}) | ${isPeers ? `\`${key}\`` : "–"} | ${on} |`,
    ),
  );
  return ["| To | Write | In Stakater Reloader | On |", "|---|---|---|---|", ...rows].join("\n");
}

function guideText({ title, annotations }: GuideSection): string {
  return [`## ${title}`, ...annotations.map(annotationText)].join("\n\n");
}

function annotationText({ key, isPeers, on, values, remark, example, effect }: GuidedAnnotation): string {
  const flag = Object.values(annotationFields).find(
    ({ schema, meta }) => defaultOf(schema, meta.defaultText) === key,
  )?.meta.flag;
  const spelling = isPeers
    ? "The same key as in Stakater Reloader"
    : "Stakater Reloader has no such annotation";
  const renamed = flag === undefined ? "" : `; \`--${flag}\` renames it`;
  const about = [`On ${on}. Write ${values}. ${spelling}${renamed}.`, ...(remark === "" ? [] : [remark])];
  const objects = example.map(({ kind, name, annotations }) => {
    const lines = Object.entries(annotations).map(([one, value]) => `    ${one}: ${JSON.stringify(value)}`);
    return `kind: ${kind}\nmetadata:\n  name: ${name}\n  annotations:\n${lines.join("\n")}\n`;
  });
  return [
    `### ${key}`,
    about.join(" "),
    `\`\`\`yaml\n${objects.join("---\n")}\`\`\``,
    "says" in effect ? effect.says : rollsText(effect.rollsFor),
  ].join("\n\n");
}

function rollsText(rollsFor: readonly string[]): string {
  return `\`api\` rolls for ${listOf(rollsFor)}, and for nothing else.`;
}

function listOf(sources: readonly string[]): string {
  const all = sources.map((source) => `\`${source}\``);
  const last = all.at(-1) ?? "";
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} and ${last}`;
}

function anchorOf(key: string): string {
  return key.replaceAll(/[^a-z-]/g, "");
}
