import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { type OptIn, readOptIn } from "@fleet-reloader/domain/annotation/opt-in";
import {
  debounceAnnotation,
  maxWaitAnnotation,
  strategyAnnotation,
} from "@fleet-reloader/domain/annotation/own-keys";
import { judge } from "@fleet-reloader/domain/decision/judge";
import { testKey } from "@fleet-reloader/domain/fixture/test-keys";
import { freezeAnnotation, frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { rollout, rolloutStrategyAnnotation } from "@fleet-reloader/domain/kind/rollout";
import { collectReferences } from "@fleet-reloader/domain/reference/collect";
import { combineMarks } from "@fleet-reloader/domain/source/mark";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { RollWrite } from "@fleet-reloader/domain/strategy/roll-write";
import { planPause } from "@fleet-reloader/domain/workload/pause";
import { parsePodTemplate } from "@fleet-reloader/domain/workload/pod-template";
import type { Annotations } from "@fleet-reloader/domain/workload/workload";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { annotationGuide, guideSources } from "./annotation-guide.ts";
import { root } from "./root.ts";

const page = readFileSync(join(root, "docs/annotations.md"), "utf8");
const namespace = "shop";

/** What the page says of the Deployment `api`: it uses the first three sources, by a variable and by two volumes. */
const references = collectReferences(
  parsePodTemplate({
    spec: {
      containers: [
        {
          name: "api",
          envFrom: [{ configMapRef: { name: "settings" } }],
          volumeMounts: ["db", "vault"].map((name) => ({ name, mountPath: `/${name}` })),
        },
      ],
      volumes: [
        { name: "db", secret: { secretName: "db" } },
        { name: "vault", csi: { volumeAttributes: { secretProviderClass: "vault" } } },
      ],
    },
  }),
  namespace,
);

interface ShownObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations: Annotations };
}

/** Sections of the page by their annotation: the objects of the example, and the sentence below it. */
const sections = new Map(
  [...page.matchAll(/^### (\S+)\n([\s\S]*?)```yaml\n([\s\S]*?)```\n\n(.+)\n/gm)].map(
    ([, key = "", , yaml = "", sentence = ""]) => {
      const objects = parseAllDocuments(yaml).map((document): ShownObject => document.toJS());
      return [key, { objects, sentence }];
    },
  ),
);

function sectionOf(key: string) {
  const { objects = [], sentence = "" } = sections.get(key) ?? {};
  const workload = objects.find(({ kind }) => kind === "Deployment" || kind === "Rollout");
  const annotations = workload?.metadata.annotations ?? {};
  const optIn = readOptIn(
    { annotations, templateAnnotations: {} },
    defaultDialect,
    { autoReloadAll: false },
    createPatternCompiler(),
  );
  return { objects, sentence, annotations, optIn };
}

function refOf(text: string): SourceRef {
  const [kind, name = ""] = text.split("/");
  if (kind !== "ConfigMap" && kind !== "Secret" && kind !== "SecretProviderClass")
    throw new Error(`${text} is no source`);
  return { kind, namespace, name };
}

function rolls(optIn: OptIn, objects: readonly ShownObject[], text: string): boolean {
  const ref = refOf(text);
  const shown = objects.find(({ kind, metadata }) => kind === ref.kind && metadata.name === ref.name);
  const reference = references.find(({ source }) => source.kind === ref.kind && source.name === ref.name);
  const source = { ref, annotations: shown?.metadata.annotations ?? {} };
  return judge({ optIn, source, reference }).reload;
}

test("the page has a section for every annotation that people write", () => {
  const { kinds, pausedAt, ...keys } = defaultDialect;
  const written = [
    ...Object.values(keys),
    ...Object.values(kinds).flatMap((kind) => Object.values(kind)),
    ...[
      debounceAnnotation,
      maxWaitAnnotation,
      strategyAnnotation,
      freezeAnnotation,
      rolloutStrategyAnnotation,
    ],
  ];
  expect([...sections.keys()].toSorted()).toEqual(written.toSorted());
  expect(page).toContain(`\`${pausedAt}\``);
});

const guided = annotationGuide.flatMap(({ annotations }) => annotations);
const choosing = guided.filter(({ effect }) => "rollsFor" in effect).map(({ key }) => key);

test("the pod template of the examples uses what the page says", () => {
  const used = references.map(({ source }) => `${source.kind}/${source.name}`);
  expect(used.toSorted()).toEqual(guideSources.slice(0, 3).toSorted());
});

test.each(choosing)("the example of %s rolls for the sources that its sentence names", (key) => {
  const { objects, sentence, optIn } = sectionOf(key);
  expect(sentence).toMatch(/^`api` rolls for .*, and for nothing else\.$/);
  const named = guideSources.filter((source) => sentence.includes(`\`${source}\``));
  expect(named.length).toBeGreaterThan(0);
  expect(guideSources.filter((source) => rolls(optIn, objects, source))).toEqual(named);
  expect(optIn.problems).toEqual([]);
});

test("the example of every annotation has an effect that goes when the annotation goes", () => {
  for (const key of choosing) {
    const { objects, optIn } = sectionOf(key);
    const without = objects.map(({ kind, metadata }) => {
      const annotations = Object.fromEntries(
        Object.entries(metadata.annotations).filter(([one]) => one !== key),
      );
      return { kind, metadata: { name: metadata.name, annotations } };
    });
    const annotations = without.find(({ kind }) => kind === "Deployment")?.metadata.annotations ?? {};
    const bare = readOptIn(
      { annotations, templateAnnotations: {} },
      defaultDialect,
      { autoReloadAll: false },
      createPatternCompiler(),
    );
    const before = guideSources.filter((source) => rolls(optIn, objects, source));
    expect(
      guideSources.filter((source) => rolls(bare, without, source)),
      key,
    ).not.toEqual(before);
  }
});

/** What the examples say that decide about no source: the words of the sentence, and what the product reads. */
const readings: Readonly<Record<string, () => void>> = {
  [debounceAnnotation]: () => {
    const { sentence, optIn } = sectionOf(debounceAnnotation);
    expect(sentence).toMatch(/10 s without a change.* 30 s after the first/);
    expect(optIn).toMatchObject({ overrides: { quietPeriodMs: 10_000 }, problems: [] });
  },
  [maxWaitAnnotation]: () => {
    const { sentence, optIn } = sectionOf(maxWaitAnnotation);
    expect(sentence).toMatch(/30 s without a change.* 5 min after the first/);
    expect(optIn).toMatchObject({ overrides: { quietPeriodMs: 30_000, maxWaitMs: 300_000 }, problems: [] });
  },
  [strategyAnnotation]: () => {
    const { sentence, optIn } = sectionOf(strategyAnnotation);
    expect(sentence).toContain("a variable in one container");
    expect(optIn).toMatchObject({ overrides: { strategy: "env-vars" }, problems: [] });
  },
  [freezeAnnotation]: () => {
    const { sentence, annotations } = sectionOf(freezeAnnotation);
    const reason = frozenByAnnotation(annotations);
    expect(reason).toBeDefined();
    expect(sentence).toContain(`The reason that people see is: ${reason}.`);
  },
  [defaultDialect.pausePeriod]: () => {
    const { sentence, annotations } = sectionOf(defaultDialect.pausePeriod);
    expect(sentence).toContain("paused for 5 min");
    const deployment = { kind: "Deployment", annotations, isPaused: false, isRoll: true } as const;
    expect(planPause({ ...deployment, dialect: defaultDialect, nowMs: 0 })).toMatchObject({
      change: { isPaused: true },
      resumeAfterMs: 300_000,
      problems: [],
    });
  },
  [rolloutStrategyAnnotation]: () => {
    const { sentence, objects } = sectionOf(rolloutStrategyAnnotation);
    expect(sentence).toBe("A change restarts the pods, without a new revision.");
    expect(writeOf(objects[0])).toEqual({
      type: "fields",
      fields: { spec: { restartAt: "1970-01-01T00:00:00Z" } },
    });
    const { name } = objects[0]?.metadata ?? { name: "" };
    expect(writeOf({ kind: "Rollout", metadata: { name, annotations: {} } }).type).toBe("template");
  },
};

function writeOf(object: ShownObject | undefined): RollWrite {
  if (object === undefined) throw new Error("the example has no object");
  const { name, annotations } = object.metadata;
  const keyed = testKey("k1");
  return rollout.roll({
    live: {
      ref: { kind: "Rollout", namespace, name },
      uid: "1",
      annotations,
      template: {},
      templateAnnotations: {},
      object: { metadata: object.metadata, spec: {} },
    },
    edit: { annotations: { changed: "yes" } },
    mark: combineMarks([], keyed),
    applied: { before: undefined, after: "", isWritten: false, annotations: {} },
    nowMs: 0,
    keyed,
  });
}

test.each(guided.filter(({ effect }) => "says" in effect).map(({ key }) => key))(
  "the example of %s means what its sentence says",
  (key) => {
    expect(Object.keys(readings)).toContain(key);
    readings[key]?.();
  },
);

test("every key has the spelling of Stakater Reloader, where it has the annotation", () => {
  for (const { key, isPeers } of guided) {
    expect(isPeers, key).toBe(key.includes("stakater.com/"));
    expect(page).toContain(`(#${key.replaceAll(/[./]/g, "")}) | ${isPeers ? `\`${key}\`` : "–"} |`);
  }
});
