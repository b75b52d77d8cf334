import { dashboardConfig } from "@fleet-reloader/dashboard-service/config";
import { describe, expect, test } from "vitest";
import { refusal, rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";

const objects = await rendered(matrix["a hub with a dashboard"] ?? {});
const name = "reloader-reloader-dashboard";
const pod = at(the(objects, "Deployment", name), "spec", "template", "spec");
const args = texts(at(pod, "containers", 0, "args"));

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function rulesOf(kind: string, role: string): readonly unknown[] {
  const rules = at(the(objects, kind, role), "rules");
  return Array.isArray(rules) ? rules : [];
}

describe("the dashboard of a hub", () => {
  test("is there when it is asked for, once, and only in a hub", async () => {
    expect(at(the(objects, "Deployment", name), "spec", "replicas")).toBe(1);
    const without = await rendered(matrix["a hub"] ?? {});
    expect(without.filter(({ metadata }) => metadata.name.includes("dashboard"))).toEqual([]);
    expect(await refusal({ fleetReloader: { hub: { dashboard: { enabled: true } } } })).toContain(
      "fleetReloader.hub.dashboard.enabled is true, but fleetReloader.mode is standalone",
    );
  });

  test("is given flags that it knows, the clusters of the others, and is named first", () => {
    const known = Object.values(dashboardConfig).flatMap(({ meta }) => meta.flag);
    const [first, ...flags] = args;
    expect(first).toBe("dashboard");
    for (const flag of flags) expect(known).toContain(/^--([A-Za-z-]+)/.exec(flag)?.[1]);
    const places =
      /^--(kubeconfig-dir|cluster-secrets|cluster-profiles|serve-hub|workload-kinds|freeze-configmap|breaker)/;
    const worker = at(
      the(objects, "Deployment", "reloader-reloader-worker"),
      ...["spec", "template", "spec", "containers", 0, "args"],
    );
    expect(args.filter((arg) => places.test(arg))).toEqual(texts(worker).filter((arg) => places.test(arg)));
    expect(args).toContain("--log-level=debug");
  });

  // It has no login.
  test("answers at the loopback address of its pod, whatever the address is elsewhere", () => {
    expect(args.filter((arg) => arg.startsWith("--dashboard-address"))).toEqual([
      "--dashboard-address=127.0.0.1:8088",
    ]);
    const ports = at(pod, "containers", 0, "ports");
    expect(ports).toEqual([{ name: "http", containerPort: 9090 }]);
    const ingress = at(the(objects, "NetworkPolicy", "reloader-reloader"), "spec", "ingress", 0, "ports");
    expect(ingress).toEqual([{ port: "http" }]);
  });

  test("has a Service whose port kubectl can forward, and which selects only it", () => {
    const { spec } = the(objects, "Service", name);
    expect(at(spec, "ports")).toEqual([{ name: "dashboard", port: 8088, protocol: "TCP", targetPort: 8088 }]);
    const selector = Object.entries(Object(at(spec, "selector")));
    const isSelected = (object: Manifest) =>
      selector.every(([key, value]) => at(object, "spec", "template", "metadata", "labels", key) === value);
    const selected = objects.filter((object) => object.kind === "Deployment" && isSelected(object));
    expect(selected.map(({ metadata }) => metadata.name)).toEqual([name]);
  });

  test("may read what questions need, in clusters and in the hub, and may write nothing", () => {
    const rules = rulesOf("ClusterRole", `${name}-role`);
    const verbs = new Set(rules.flatMap((rule) => texts(at(rule, "verbs"))));
    expect([...verbs].toSorted()).toEqual(["get", "list"]);
    const resources = rules.flatMap((rule) => texts(at(rule, "resources")));
    expect(resources).toEqual(
      expect.arrayContaining(["configmaps", "secrets", "deployments", "jobs", "rollouts", "apps", "pods"]),
    );
    expect(resources).not.toContain("events");
    expect(rulesOf("Role", `${name}-secrets`)).toEqual([
      {
        ...{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
        resourceNames: ["reloader-reloader-valkey-password", "reloader-reloader-mark-key"],
      },
    ]);
    for (const role of ["reloader-reloader-registration", "reloader-reloader-freezes"]) {
      const binding = objects.find(({ kind, metadata }) => /Binding$/.test(kind) && metadata.name === role);
      expect(JSON.stringify(binding?.subjects), role).toContain(`"name":"${name}"`);
    }
    const metadata = the(objects, "RoleBinding", "reloader-reloader-metadata-role-binding");
    expect(JSON.stringify(metadata.subjects)).not.toContain(name);
  });

  test("has security context and probes as the others, and a ServiceAccount of its own", () => {
    const worker = at(the(objects, "Deployment", "reloader-reloader-worker"), "spec", "template", "spec");
    for (const path of ["securityContext", "livenessProbe", "readinessProbe", "resources"])
      expect(at(pod, "containers", 0, path)).toEqual(at(worker, "containers", 0, path));
    expect(at(pod, "securityContext")).toEqual(at(worker, "securityContext"));
    expect(at(pod, "serviceAccountName")).toBe(name);
    expect(the(objects, "ServiceAccount", name).metadata.name).toBe(name);
  });

  test("keeps a name of at most 63 characters, as long as the release's may be", async () => {
    const release = "r".repeat(53);
    const long = await rendered({ ...matrix["a hub with a dashboard"], release });
    const names = long.flatMap(({ kind, metadata }) =>
      kind === "Deployment" || kind === "Service" ? [metadata.name] : [],
    );
    for (const each of names) expect(each.length, each).toBeLessThanOrEqual(63);
    expect(new Set(names).size).toBeGreaterThanOrEqual(4);
  });
});
