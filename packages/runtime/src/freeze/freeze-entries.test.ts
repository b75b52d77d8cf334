import { describeScope } from "@fleet-reloader/domain/hold/freeze";
import { expect, test } from "vitest";
import { freezeOfEntry, readFreezeEntries, writeFreezeEntries } from "./freeze-entries.ts";

const document = `
- fleet: true
  reason: release
  by: ann
  until: 2026-01-31T18:00:00Z
- clusterSelector: env=prod
  namespace: shop
  workload: Deployment/api
- source: Secret/db
`;

test("a document says who froze what, why and until when", () => {
  const read = readFreezeEntries(document);
  if (read.type === "unreadable") throw new Error(read.why);
  expect(read.entries.map(freezeOfEntry)).toMatchObject([
    { scope: {}, reason: "release", by: "ann", untilMs: Date.UTC(2026, 0, 31, 18) },
    { scope: { namespace: "shop", workload: { kind: "Deployment", name: "api" } } },
    { scope: { source: { kind: "Secret", name: "db" } } },
  ]);
  expect(read.entries.map((entry) => describeScope(freezeOfEntry(entry).scope))).toEqual([
    "the fleet",
    "clusters with env=prod, namespace shop, workload Deployment/api",
    "source Secret/db",
  ]);
  expect(readFreezeEntries(writeFreezeEntries(read.entries))).toEqual(read);
});

test.each([
  ["Deployment/api", "Deployment"],
  ["deployment/api", "Deployment"],
  ["deployments/api", "Deployment"],
  ["deploy/api", "Deployment"],
  ["deployments.apps/api", "Deployment"],
  ["Deployment.v1.apps/api", "Deployment"],
  ["sts/api", "StatefulSet"],
  ["ds/api", "DaemonSet"],
  ["cj/api", "CronJob"],
  ["jobs.batch/api", "Job"],
  ["rollouts.argoproj.io/api", "Rollout"],
  ["dc/api", "DeploymentConfig"],
  ["Service.serving.knative.dev/api", "Service.serving.knative.dev"],
])("workload %s is the %s, as kubectl spells it", (workload, kind) => {
  const read = readFreezeEntries(JSON.stringify([{ workload }]));
  if (read.type === "unreadable") throw new Error(read.why);
  expect(read.entries.map((entry) => freezeOfEntry(entry).scope)).toEqual([
    { workload: { kind, name: "api" } },
  ]);
});

test.each([
  ["cm/app", "ConfigMap"],
  ["configmaps/app", "ConfigMap"],
  ["secrets/app", "Secret"],
  ["spc/app", "SecretProviderClass"],
])("source %s is the %s", (source, kind) => {
  const read = readFreezeEntries(JSON.stringify([{ source }]));
  if (read.type === "unreadable") throw new Error(read.why);
  expect(read.entries.map((entry) => freezeOfEntry(entry).scope)).toEqual([
    { source: { kind, name: "app" } },
  ]);
});

test("no freezes are written as an empty list", () => {
  expect(readFreezeEntries("[]")).toEqual({ type: "known", entries: [] });
});

test.each([
  ["", "write a list of freezes, or [] for none"],
  ["- fleet: [", "it is no YAML; write a list of freezes, or [] for none"],
  ["fleet: true", "it is no list"],
  ["- reason: x", "entry 1: does not say what is frozen; write fleet: true, or one or more of cluster,"],
  ["- fleet: true\n  namespace: shop", "entry 1: is about the whole fleet and about a part of it"],
  ["- fleet: true\n- namespce: shop", "entry 2: Unrecognized key"],
  [
    "- fleet: true\n  until: soon",
    'entry 1: until: "soon" is no time; write for example 2026-01-31T18:00:00Z',
  ],
  [
    "- fleet: true\n  until: 2026-02-30T18:00:00Z",
    'entry 1: until: "2026-02-30T18:00:00Z" is no time; write',
  ],
  ["- namespace: 7", "entry 1: namespace: 7 must be a text; put it in quotes"],
  ["- workload: api", 'entry 1: workload: "api" is no object; write Kind/name, for example Deployment/api'],
  ["- source: Deployment/api", 'entry 1: source: "Deployment/api" is no source'],
  [
    "- workload: Deploymnt/api",
    'entry 1: workload: "Deploymnt/api" is not of a known kind of workload; write Deployment/api',
  ],
  ["- workload: deployment.app/api", "is not of a known kind of workload; write Deployment/api"],
  ["- workload: pod/api", "is not of a known kind of workload; known are Deployment, CronJob,"],
  [
    "- workload: configmap/app",
    "is not of a known kind of workload; it is a source; write source: ConfigMap/app",
  ],
  ["- workload: Deployment/shop/api", "is no object"],
  ["- source: secert/db", "is no source; write Secret/db"],
  ["- namespace: Shop", 'entry 1: namespace: "Shop" is no name of a namespace; write one in lower case'],
  ["- namespace: team-*", "is no name of a namespace"],
  ["- clusterSelector: ((", 'entry 1: clusterSelector: "((" is no label selector'],
])("%j is unreadable, and never an empty list", (text, why) => {
  const read = readFreezeEntries(text);
  expect(read.type === "unreadable" ? read.why : "readable").toContain(why);
});
