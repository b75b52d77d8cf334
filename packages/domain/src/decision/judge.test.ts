import { describe, expect, test } from "vitest";
import { defaultDialect } from "../annotation/dialect.ts";
import { readOptIn } from "../annotation/opt-in.ts";
import { catalystApi } from "../fixture/catalyst-api.ts";
import { compileForTest } from "../fixture/compile-pattern.ts";
import {
  auto,
  configMapAuto,
  configMapExclude,
  configMapNamed,
  ignore,
  match,
  search,
  secretAuto,
  secretExclude,
  secretNamed,
} from "../fixture/peer-annotations.ts";
import { collectReferences } from "../reference/collect.ts";
import type { SourceKind } from "../source/source.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";
import type { Annotations } from "../workload/workload.ts";
import { type JudgeInput, judge, judgeFollower } from "./judge.ts";
import { noReasons, yesReasons } from "./reasons.ts";

// The decision table of compat 1.4: every row is one of its sentences.

interface Case {
  readonly on?: Annotations;
  readonly template?: Annotations;
  readonly source?: Annotations;
  readonly kind?: SourceKind;
  readonly name?: string;
  readonly isReferenced?: boolean;
  readonly autoReloadAll?: boolean;
  /** The annotations of the object whose template the workload follows. */
  readonly owner?: Annotations;
}

function decide({ on = {}, template = {}, source = {}, kind = "ConfigMap", ...rest }: Case): string {
  const { name = "app", isReferenced = true, autoReloadAll = false, owner } = rest;
  const ref = { kind, namespace: "ns", name };
  const use = { how: "envFrom", container: "c", optional: false, keys: "all" } as const;
  const inputOf = (annotations: Annotations): JudgeInput => ({
    optIn: readOptIn(
      { annotations, templateAnnotations: template },
      defaultDialect,
      { autoReloadAll },
      compileForTest,
    ),
    source: { ref, annotations: source },
    reference: isReferenced ? { source: ref, uses: [use], optional: false, keys: "all" } : undefined,
  });
  const decision = judgeFollower(inputOf(on), owner && inputOf(owner));
  return decision.reload ? `yes ${decision.mode} ${decision.reason}` : `no ${decision.reason}`;
}

const rows: readonly (readonly [sentence: string, given: Case, expected: string])[] = [
  [
    "ignore beats being named",
    { on: { [configMapNamed]: "app" }, source: { [ignore]: "true" } },
    "no SourceIgnored",
  ],
  ["ignore beats auto", { on: { [auto]: "true" }, source: { [ignore]: "true" } }, "no SourceIgnored"],
  [
    "ignore beats search",
    { on: { [search]: "true" }, source: { [ignore]: "true", [match]: "true" } },
    "no SourceIgnored",
  ],
  ["ignore is stated even for who did not opt in", { source: { [ignore]: "true" } }, "no SourceIgnored"],
  [
    "ignore counts only as exactly true",
    { on: { [auto]: "true" }, source: { [ignore]: "True" } },
    "yes auto AutoEnabled",
  ],
  ["ignore on a workload does nothing", { on: { [auto]: "true", [ignore]: "true" } }, "yes auto AutoEnabled"],

  [
    "a release of Helm never counts",
    { on: { [secretNamed]: ".*", [auto]: "true" }, kind: "Secret", name: "sh.helm.release.v1.shop.v1" },
    "no HelmRelease",
  ],
  [
    "a ConfigMap named like one does",
    { on: { [auto]: "true" }, name: "sh.helm.release.v1.shop.v1" },
    "yes auto AutoEnabled",
  ],

  [
    "an exclude beats being named",
    { on: { [configMapNamed]: "app", [configMapExclude]: "app" } },
    "no SourceExcluded",
  ],
  ["an exclude beats auto", { on: { [auto]: "true", [configMapExclude]: "x, app" } }, "no SourceExcluded"],
  ["an exclude is no pattern", { on: { [auto]: "true", [configMapExclude]: "ap." } }, "yes auto AutoEnabled"],
  ["an exclude is of one kind", { on: { [auto]: "true", [secretExclude]: "app" } }, "yes auto AutoEnabled"],
  [
    "an exclude on the workload holds when the rest comes from the template",
    { on: { [configMapExclude]: "app" }, template: { [auto]: "true" } },
    "no SourceExcluded",
  ],
  [
    "an exclude on the template is not read",
    { on: {}, template: { [auto]: "true", [configMapExclude]: "app" } },
    "yes auto AutoEnabled",
  ],

  [
    "a name needs no reference",
    { on: { [configMapNamed]: "app" }, isReferenced: false },
    "yes named NamedByAnnotation",
  ],
  [
    "a pattern needs none either",
    { on: { [configMapNamed]: "a.*" }, isReferenced: false },
    "yes named NamedByAnnotation",
  ],
  ["a name of the other kind is no name", { on: { [secretNamed]: "app" } }, "no NotOptedIn"],
  ["another name is no name", { on: { [configMapNamed]: "app2,ap" } }, "no NotOptedIn"],
  ["an empty list names nothing", { on: { [configMapNamed]: "" } }, "no NotOptedIn"],
  [
    "an item that does not compile spoils no other",
    { on: { [configMapNamed]: "(,app" } },
    "yes named NamedByAnnotation",
  ],
  [
    "named comes before search and auto",
    { on: { [configMapNamed]: "app", [auto]: "true" } },
    "yes named NamedByAnnotation",
  ],
  [
    "auto false does not block a name",
    { on: { [auto]: "false", [configMapNamed]: "app" } },
    "yes named NamedByAnnotation",
  ],

  [
    "search finds what matches",
    { on: { [search]: "true" }, source: { [match]: "true" } },
    "yes search MatchedBySearch",
  ],
  ["search needs a match", { on: { [search]: "true" } }, "no SourceNotMatched"],
  ["a match needs a search", { source: { [match]: "true" } }, "no NotOptedIn"],
  [
    "a match counts only as exactly true",
    { on: { [search]: "true" }, source: { [match]: "1" } },
    "no SourceNotMatched",
  ],
  [
    "search counts only as exactly true",
    { on: { [search]: "1" }, source: { [match]: "true" } },
    "no NotOptedIn",
  ],
  [
    "search needs a reference",
    { on: { [search]: "true" }, source: { [match]: "true" }, isReferenced: false },
    "no NotReferenced",
  ],
  [
    "auto false does not block search",
    { on: { [auto]: "false", [search]: "true" }, source: { [match]: "true" } },
    "yes search MatchedBySearch",
  ],
  [
    "search comes before auto",
    { on: { [auto]: "true", [search]: "true" }, source: { [match]: "true" } },
    "yes search MatchedBySearch",
  ],

  ["auto takes every reference", { on: { [auto]: "true" } }, "yes auto AutoEnabled"],
  ["auto needs a reference", { on: { [auto]: "true" }, isReferenced: false }, "no NotReferenced"],
  ["auto of the kind is enough", { on: { [configMapAuto]: "true" } }, "yes auto AutoEnabledForKind"],
  ["auto of the other kind is not", { on: { [secretAuto]: "true" } }, "no NotOptedIn"],
  [
    "auto false with auto of the kind true reloads",
    { on: { [auto]: "false", [configMapAuto]: "true" } },
    "yes auto AutoEnabledForKind",
  ],
  [
    "auto true with auto of the kind false reloads",
    { on: { [auto]: "true", [configMapAuto]: "false" } },
    "yes auto AutoEnabled",
  ],
  ["auto takes Go's spellings", { on: { [auto]: "T" } }, "yes auto AutoEnabled"],
  ["auto takes nothing else", { on: { [auto]: "yes" } }, "no NotOptedIn"],

  ["who says nothing is not reloaded", {}, "no NotOptedIn"],
  ["who says nothing is reloaded when all are", { autoReloadAll: true }, "yes auto AutoReloadAll"],
  ["which needs a reference", { autoReloadAll: true, isReferenced: false }, "no NotReferenced"],
  ["auto false opts out of all", { on: { [auto]: "false" }, autoReloadAll: true }, "no NotOptedIn"],
  ["so does garbage", { on: { [auto]: "garbage" }, autoReloadAll: true }, "no NotOptedIn"],
  ["an empty auto does not", { on: { [auto]: "" }, autoReloadAll: true }, "yes auto AutoReloadAll"],
  [
    "an empty auto on the workload still hides the template",
    { on: { [auto]: "" }, template: { [auto]: "true" } },
    "no NotOptedIn",
  ],
  [
    "an empty auto hides even a template that opts out of all",
    { on: { [auto]: "" }, template: { [auto]: "false" }, autoReloadAll: true },
    "yes auto AutoReloadAll",
  ],
  [
    "auto false of one kind opts out of that kind",
    { on: { [secretAuto]: "false" }, kind: "Secret", autoReloadAll: true },
    "no NotOptedIn",
  ],
  [
    "and of that only",
    { on: { [secretAuto]: "false" }, kind: "ConfigMap", autoReloadAll: true },
    "yes auto AutoReloadAll",
  ],
  [
    "a name does not switch all off",
    { on: { [configMapNamed]: "x" }, autoReloadAll: true },
    "yes auto AutoReloadAll",
  ],

  [
    "what rolls the owner of the template rolls no follower",
    { on: { [auto]: "true" }, owner: { [configMapNamed]: "ap+" } },
    "no TemplateOwnerReloaded",
  ],
  [
    "what the owner excludes rolls the follower",
    { on: { [auto]: "true" }, owner: { [auto]: "true", [configMapExclude]: "app" } },
    "yes auto AutoEnabled",
  ],
  [
    "an owner that opts in changes nothing for who does not",
    { on: { [auto]: "false" }, owner: { [auto]: "true" } },
    "no NotOptedIn",
  ],

  [
    "annotations are never merged: a Secret's name on the workload, a ConfigMap's on the template (ConfigMap)",
    { on: { [secretNamed]: "s" }, template: { [configMapNamed]: "app" } },
    "yes named NamedByAnnotation",
  ],
  [
    "the same for a Secret, for which the workload counts",
    { on: { [secretNamed]: "s" }, template: { [secretNamed]: "app", [auto]: "true" }, kind: "Secret" },
    "no NotOptedIn",
  ],
];

describe("the decision", () => {
  test.each(rows)("%s", (_, given, expected) => {
    expect(decide(given)).toBe(expected);
  });

  test("has every reason of the closed lists in this table", () => {
    const seen = new Set(rows.map(([, , expected]) => expected.split(" ").at(-1)));
    const all = [...yesReasons, ...noReasons].map(({ reason }) => reason);
    expect(all.filter((reason) => !seen.has(reason))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });

  test.each(["constructor", "__proto__", "toString"])("is about names like any other: %s", (name) => {
    expect(decide({ name })).toBe("no NotOptedIn");
    expect(decide({ name, on: { [configMapExclude]: name, [auto]: "true" } })).toBe("no SourceExcluded");
    expect(decide({ name, on: { [configMapNamed]: name } })).toBe("yes named NamedByAnnotation");
  });
});

describe("catalyst-api", () => {
  const template = parsePodTemplate(catalystApi.spec.template);
  const optIn = readOptIn(
    { annotations: catalystApi.metadata.annotations, templateAnnotations: template.metadata.annotations },
    defaultDialect,
    { autoReloadAll: false },
    compileForTest,
  );
  const decideOn = (kind: SourceKind, name: string) => {
    const ref = { kind, namespace: "catalyst", name };
    const references = collectReferences(template, "catalyst");
    const reference = references.find(({ source }) => source.kind === kind && source.name === name);
    return judge({ optIn, source: { ref, annotations: {} }, reference });
  };

  test("rolls for the optional ConfigMap that it names (S1, S2)", () => {
    const yes = { reload: true, mode: "named", reason: "NamedByAnnotation" };
    expect(decideOn("ConfigMap", "sovereign-fqdn")).toEqual(yes);
  });

  test("does not roll for the Secret it mounts, since it names another (S3)", () => {
    const no = { reload: false, reason: "NotOptedIn" };
    expect(decideOn("Secret", "catalyst-handover-jwt-public")).toEqual(no);
    expect(decideOn("Secret", "handover-jwt-public")).toMatchObject({ reload: true, mode: "named" });
  });
});
