import { readFileSync } from "node:fs";
import type { ControlPlane } from "@fleet-reloader/control-plane/control-plane";
import { apply } from "./dry-run.ts";
import { at, type Manifest } from "./manifest.ts";

/** The rights that the chart renders, given to a user: exactly them, in exactly their places. */
export async function grant(plane: ControlPlane, user: string, objects: readonly Manifest[]): Promise<void> {
  const suffix = `-${user}`;
  for (const object of objects.filter(({ kind }) => /Role(Binding)?$/.test(kind))) {
    const { roleRef } = object;
    const named = { ...object, metadata: { ...object.metadata, name: object.metadata.name + suffix } };
    const bound = {
      roleRef: { ...Object(roleRef), name: `${String(at(roleRef, "name"))}${suffix}` },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
    };
    const problem = await apply(plane, object.kind.endsWith("Binding") ? { ...named, ...bound } : named, {
      isDryRun: false,
    });
    if (problem !== undefined) throw new Error(problem);
  }
}

/** Requests of a user that the API server refused: verb and resource. */
export function refusals(plane: ControlPlane, user: string): readonly string[] {
  const lines = readFileSync(plane.auditLogPath ?? "", "utf8")
    .trim()
    .split("\n");
  return lines.flatMap((line) => {
    const entry: unknown = JSON.parse(line);
    if (at(entry, "user", "username") !== user || at(entry, "responseStatus", "code") !== 403) return [];
    return [
      `${String(at(entry, "verb"))} ${String(at(entry, "objectRef", "resource"))} ${String(at(entry, "objectRef", "name") ?? "")}`.trim(),
    ];
  });
}

/** What one service of a hub is granted: its own, and what both are. */
export function rightsOf(
  objects: readonly Manifest[],
  { but }: { readonly but: string },
): readonly Manifest[] {
  return objects.filter(({ metadata }) => !metadata.name.includes(but));
}
