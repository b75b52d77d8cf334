import { canary } from "@fleet-reloader/testkit/beds/credentials";
import { expect, test } from "vitest";
import { followHub } from "../fixture/followed-hub.ts";
import { createArgocdSecrets } from "./argocd-secrets.ts";

const labels = { "argocd.argoproj.io/secret-type": "cluster", region: "eu" };

test("clusters of Argo CD come with labels, pause when it skips them, and go", async () => {
  await using hub = await followHub((on) =>
    createArgocdSecrets({ hub: on, namespace: "clusters", allowExec: [], allowLoopbackHttp: false }),
  );
  const config = JSON.stringify({ bearerToken: canary });
  hub.secret("cluster-a", { name: "a", server: "https://a", config, namespaces: "x,y" }, { labels });
  hub.secret("repo", { url: canary }, { labels: { "argocd.argoproj.io/secret-type": "repository" } });
  hub.secret("cluster-b", { name: "b", server: "https://b", config }, { labels, namespace: "elsewhere" });
  hub.start();
  await hub.become("a usable");
  expect(hub.told()?.[0]).toMatchObject({
    id: "argocd#clusters/cluster-a",
    labels: { region: "eu" },
    access: { namespaces: ["x", "y"], target: { name: "a", server: "https://a" } },
  });
  const annotations = { "argocd.argoproj.io/skip-reconcile": "true" };
  hub.secret("cluster-a", { name: "a", server: "https://a", config }, { labels, annotations });
  await hub.become("a paused");
  hub.cluster.remove("Secret", "clusters", "cluster-a");
  await hub.become();
  expect(hub.log.text).not.toContain(canary);
});
