import type { Product } from "@fleet-reloader/testkit/product";
import { expect } from "vitest";
import { at } from "./manifest.ts";

/** The dashboard explains the Deployment `app`, and plans a change of each of its sources and of one that is not there. */
export async function expectAnswersAbout(namespace: string, dashboard: Product): Promise<void> {
  await dashboard.ready();
  const started = dashboard.log.find(({ msg }) => msg === "dashboard started");
  const api = `${String(started?.page)}api/v1`;
  const { clusters } = Object(await (await fetch(`${api}/clusters`)).json());
  const cluster = String(at(clusters, 0, "name"));
  const paths = [
    ["workloads", "Deployment", "app", 200],
    ["workloads", "Deployment", "gone", 404],
    ["sources", "ConfigMap", "settings", 200],
    ["sources", "Secret", "credentials", 200],
    ["sources", "Secret", "gone", 404],
  ] as const;
  for (const [about, kind, name, status] of paths) {
    const answer = await fetch(`${api}/${about}/${cluster}/${kind}/${namespace}/${name}`);
    expect([name, answer.status]).toEqual([name, status]);
  }
}
