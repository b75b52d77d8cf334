import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import type { LintFinding } from "@fleet-reloader/domain/lint/finding";
import { lintManifests } from "@fleet-reloader/domain/lint/lint-manifests";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { lintReport } from "../src/lint/lint-report.ts";
import { parseManifests } from "../src/lint/parse-manifests.ts";

const { ConfigMap, Secret } = defaultDialect.kinds;
const namedKeys = { ConfigMap: ConfigMap.named, Secret: Secret.named } as const;
const autoKeys = { ConfigMap: ConfigMap.auto, Secret: Secret.auto } as const;
/** No content of a source may be in any output. */
const canary = "canary-7f3a9c";

interface Use {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  readonly how: "env" | "envFrom" | "volume" | "projected";
  readonly optional: boolean;
}

interface World {
  readonly workloadKind: "Deployment" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob";
  readonly uses: readonly Use[];
  readonly style: "auto" | "autoForKind" | "named" | "pattern" | "search";
  readonly isOnTemplate: boolean;
  readonly namespace: string | undefined;
  readonly isJson: boolean;
}

/** Words that are far from each other, so that a slip in one is near that one only. */
const words = ["settings", "gateway-tls", "feature-flags", "db-password", "queue.properties", "jwks"];
const world: fc.Arbitrary<World> = fc.record({
  workloadKind: fc.constantFrom("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"),
  uses: fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom("ConfigMap" as const, "Secret" as const),
      name: fc.constantFrom(...words),
      how: fc.constantFrom("env" as const, "envFrom" as const, "volume" as const, "projected" as const),
      optional: fc.boolean(),
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 5 },
  ),
  style: fc.constantFrom("auto", "autoForKind", "named", "pattern", "search"),
  isOnTemplate: fc.boolean(),
  namespace: fc.option(fc.constant("team"), { nil: undefined }),
  isJson: fc.boolean(),
});

type Annotations = Record<string, unknown>;

function annotationsOf({ style, uses }: Pick<World, "style" | "uses">): Annotations {
  if (style === "auto") return { [defaultDialect.auto]: "true" };
  if (style === "search") return { [defaultDialect.search]: "true" };
  const kinds = [...new Set(uses.map(({ kind }) => kind))];
  return Object.fromEntries(
    kinds.map((kind) => {
      if (style === "autoForKind") return [autoKeys[kind], "true"];
      const names = uses.filter((use) => use.kind === kind).map(({ name }) => name);
      return [
        namedKeys[kind],
        names.map((name) => (style === "named" ? name : `${name.slice(0, 4)}.*`)).join(","),
      ];
    }),
  );
}

function containerOf(uses: readonly Use[]) {
  const refOf = ({ kind, name, optional }: Use) => ({ kind, ref: { name, optional } });
  return {
    name: "main",
    image: "registry.example/app:1",
    env: uses
      .filter(({ how }) => how === "env")
      .map(refOf)
      .map(({ kind, ref }, index) => {
        const keyRef = Object.assign({ key: "k" }, ref);
        return {
          name: `V${index}`,
          valueFrom: kind === "Secret" ? { secretKeyRef: keyRef } : { configMapKeyRef: keyRef },
        };
      }),
    envFrom: uses
      .filter(({ how }) => how === "envFrom")
      .map(refOf)
      .map(({ kind, ref }) => (kind === "Secret" ? { secretRef: ref } : { configMapRef: ref })),
    volumeMounts: uses
      .filter(({ how }) => how === "volume" || how === "projected")
      .map(({ name }) => ({ name: `v-${name}`, mountPath: `/${name}` })),
  };
}

function volumeOf({ how, kind, name, optional }: Use) {
  const volume = `v-${name}`;
  if (how === "projected") {
    const source = kind === "Secret" ? { secret: { name, optional } } : { configMap: { name, optional } };
    return { name: volume, projected: { sources: [source] } };
  }
  return kind === "Secret"
    ? { name: volume, secret: { secretName: name, optional } }
    : { name: volume, configMap: { name, optional } };
}

/** Annotations, sources and pod template of a world without a fault: faults are planted into it. */
function cleanParts(clean: World) {
  return {
    annotations: annotationsOf(clean),
    container: containerOf(clean.uses),
    sources: clean.uses.map(({ kind, name }) => {
      const annotations = clean.style === "search" ? { [defaultDialect.match]: "true" } : {};
      const content =
        kind === "Secret" ? { stringData: { k: canary } } : { data: { k: `${canary} {{ .Values.x }}` } };
      return Object.assign(
        { apiVersion: "v1", kind, metadata: { name, namespace: clean.namespace, annotations } },
        content,
      );
    }),
  };
}

function textOf(clean: World, { annotations, container, sources }: ReturnType<typeof cleanParts>): string {
  const { isJson, isOnTemplate, namespace, uses, workloadKind } = clean;
  const volumes = uses.filter(({ how }) => how === "volume" || how === "projected").map(volumeOf);
  const template = {
    metadata: { annotations: isOnTemplate ? annotations : {} },
    spec: { containers: [container], volumes },
  };
  const workload = {
    apiVersion: workloadKind.endsWith("Job") ? "batch/v1" : "apps/v1",
    kind: workloadKind,
    metadata: { name: "main", namespace, annotations: isOnTemplate ? {} : annotations },
    spec: workloadKind === "CronJob" ? { jobTemplate: { spec: { template } } } : { template },
  };
  const objects = [workload, ...sources];
  return isJson
    ? JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }, undefined, 2)
    : objects.map((object) => stringify(object)).join("---\n");
}

const compile = createPatternCompiler();

function lintText(text: string): readonly LintFinding[] {
  const { manifests, templates, unread } = parseManifests({ file: "all.yaml", text });
  expect({ templates, unread }).toEqual({ templates: [], unread: [] });
  const findings = lintManifests(manifests, { dialect: defaultDialect, autoReloadAll: false, compile });
  for (const format of ["text", "json", "sarif"] as const)
    expect(lintReport(findings, format)).not.toContain(canary);
  return findings;
}

interface Planted {
  readonly rule: string;
  /** What the line of the finding has to hold. */
  readonly line: string;
}
type Parts = ReturnType<typeof cleanParts>;

const firstUse = ({ uses }: World): Use =>
  uses[0] ?? { kind: "ConfigMap", name: "settings", how: "env", optional: false };

/** Each plants one fault that no other part of the world can hide, and says what has to be found. */
const faults: readonly ((parts: Parts, clean: World) => Planted)[] = [
  (parts, clean) => {
    const { kind, name } = firstUse(clean);
    parts.annotations = { [namedKeys[kind]]: `${name.slice(0, 3)}${name.slice(2)}` };
    return { rule: "source-wrong-name", line: namedKeys[kind] };
  },
  (parts, clean) => {
    const { kind, name } = firstUse(clean);
    parts.annotations = { [namedKeys[kind]]: `stage-two-${name}` };
    return { rule: "source-wrong-name", line: namedKeys[kind] };
  },
  (parts) => {
    parts.annotations[ConfigMap.named] = "xyzzy-plugh-quux-frobnicate";
    return { rule: "source-missing", line: ConfigMap.named };
  },
  (parts) => {
    parts.annotations[defaultDialect.auto] = "yes please";
    return { rule: "annotation-unreadable", line: defaultDialect.auto };
  },
  (parts) => {
    parts.annotations[Secret.named] = "x-*";
    return { rule: "annotation-unreadable", line: Secret.named };
  },
  (parts) => {
    parts.annotations[defaultDialect.auto] = true;
    return { rule: "annotation-not-text", line: defaultDialect.auto };
  },
  (parts) => {
    parts.annotations["reloader.stakater.com/autos"] = "true";
    return { rule: "annotation-unknown", line: "reloader.stakater.com/autos" };
  },
  (parts) => {
    parts.annotations[defaultDialect.ignore] = "true";
    return { rule: "annotation-misplaced", line: defaultDialect.ignore };
  },
  (parts) => {
    parts.annotations[ConfigMap.named] = "settings|jwks";
    return { rule: "pattern-anchors", line: ConfigMap.named };
  },
  (parts) => {
    parts.annotations[Secret.named] = "nothing-[0-9]+";
    return { rule: "pattern-matches-nothing", line: Secret.named };
  },
  (parts) => {
    parts.annotations[Secret.named] = "one two";
    return { rule: "list-separator", line: Secret.named };
  },
  (parts, clean) => {
    const { kind, name } = firstUse(clean);
    parts.annotations[namedKeys[kind]] = `${name}, `;
    return { rule: "list-untrimmed", line: namedKeys[kind] };
  },
  (parts, clean) => {
    const { kind, name } = firstUse(clean);
    parts.annotations[namedKeys[kind]] = name.replaceAll(".", "\\.");
    if (name.includes(".")) parts.annotations[namedKeys[kind]] = name;
    Object.assign(parts.sources[0] ?? {}, { immutable: true });
    return { rule: "source-never-changes", line: namedKeys[kind] };
  },
  (parts) => {
    parts.annotations = { [ConfigMap.named]: "read-by-the-program" };
    const metadata = { name: "read-by-the-program", namespace: undefined, annotations: {} };
    parts.sources.push({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { k: "" } });
    return { rule: "source-unused", line: ConfigMap.named };
  },
  (parts, clean) => {
    const keyRef = { name: firstUse(clean).name, key: "k" };
    const of = (isOptional: boolean, name: string) => ({
      name,
      valueFrom:
        firstUse(clean).kind === "Secret"
          ? { secretKeyRef: Object.assign({ optional: isOptional }, keyRef) }
          : { configMapKeyRef: Object.assign({ optional: isOptional }, keyRef) },
    });
    parts.container.env.push(of(true, "A") as never, of(false, "B") as never);
    return { rule: "optional-without-effect", line: "optional" };
  },
];

const run = { numRuns: 200, seed: 15 };

test("200 manifests without a fault have no finding", () => {
  fc.assert(
    fc.property(world, (clean) => {
      expect(lintText(textOf(clean, cleanParts(clean)))).toEqual([]);
    }),
    run,
  );
});

test("200 manifests with a planted fault have it found where it is", () => {
  fc.assert(
    fc.property(world, fc.nat({ max: faults.length - 1 }), (clean, at) => {
      const parts = cleanParts(clean);
      const planted = faults[at]?.(parts, clean);
      const text = textOf(clean, parts);
      const lines = text.split("\n");
      const places = lintText(text)
        .filter(({ rule }) => rule === planted?.rule)
        .map(({ position }) => `${lines[position.line - 2]}\n${lines[position.line - 1]}`);
      expect(places).toContainEqual(expect.stringContaining(planted?.line ?? "a fault"));
    }),
    run,
  );
});
