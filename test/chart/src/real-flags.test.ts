import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rendered, root } from "./helm.ts";
import { at } from "./manifest.ts";
import { matrix } from "./matrix.ts";
import { argsOf, containerOf, renderedBy } from "./rendered-container.ts";

const ours =
  /^--(breaker-source|breaker-workload|concurrency|dashboard-address|debounce|listen-address|history-max-length|history-retention|max-wait|data-dir|serve-hub|shards)=/;

/** The flags of the peer, as its own chart writes them. */
describe("flags", () => {
  test("the defaults say nothing but the log level", async () => {
    expect(argsOf(await rendered({})).filter((arg) => !ours.test(arg))).toEqual(["--log-level=info"]);
    expect(argsOf(await renderedBy("all the peer's defaults"))).toEqual(argsOf(await rendered({})));
  });

  test("each value becomes its flag", async () => {
    expect(argsOf(await renderedBy("every flag")).filter((arg) => !ours.test(arg))).toEqual([
      "--log-format=json",
      "--log-level=warning",
      "--auto-annotation=my.company/auto",
      "--configmap-annotation=my.company/configmap",
      "--pause-deployment-time-annotation=my.company/at",
      "--reload-on-create=true",
      "--reload-on-delete=true",
      "--sync-after-restart=true",
      "--reload-strategy=env-vars",
      "--auto-reload-all=true",
      "--enable-ha=true",
      "--enable-pprof",
      "--pprof-addr=:6060",
      "--context=nova",
    ]);
    expect(argsOf(await renderedBy("every flag"))).toContain("--max-wait=1m30s");
  });

  // Helm reads a whole number as a float: the product refuses what has an exponent, and no pod would start.
  test("a number is written in its digits, however large", async () => {
    const objects = await renderedBy("large numbers");
    expect(at(containerOf(objects), "args")).toEqual(
      expect.arrayContaining([
        ...["--history-max-length=2000000", "--concurrency=7"],
        ...["--alert-burst", "1500000"],
      ]),
    );
    expect(at(containerOf(objects), "env")).toEqual(
      expect.arrayContaining([
        { name: "FLEET_RELOADER_SHARDS", value: "1000000" },
        { name: "RATIO", value: "0.5" },
      ]),
    );
  });

  test("a namespace selector keeps its commas: it is quoted, since the flag is CSV", async () => {
    const args = argsOf(await renderedBy("selectors"));
    expect(args).toContain('--namespace-selector="team in (a,b),reload"');
    expect(args).toContain("--namespaces-to-ignore=kube-system,kube-public");
    expect(args).toContain("--resource-label-selector=reload=yes");
  });

  test("its own cluster is served as the value says, also with kubeconfigs in Secrets", async () => {
    const clusters = { kubeconfigSecrets: ["team-a"] };
    const served = async (more: object) =>
      argsOf(await rendered({ values: { fleetReloader: { clusters: { ...clusters, ...more } } } })).filter(
        (arg) => arg.startsWith("--serve-hub"),
      );
    expect(await served({})).toEqual(["--serve-hub=true"]);
    expect(await served({ serveHub: false })).toEqual(["--serve-hub=false"]);
    expect(await served({ serveHub: null })).toEqual([]);
  });

  test("what is left alone", async () => {
    const args = argsOf(await renderedBy("Secrets only, no Jobs"));
    expect(args).toContain("--resources-to-ignore=configmaps");
    expect(args).toContain("--ignored-workload-types=jobs,cronjobs");
    expect(argsOf(await renderedBy("every source and kind"))).toEqual(
      expect.arrayContaining(["--is-Argo-Rollouts=true", "--enable-csi-integration=true"]),
    );
  });

  test("each is known: in the reference, or on the page about the peer's values", async () => {
    const pages = ["docs/reference/config.md", "docs/compatibility.md"].map((path) =>
      readFileSync(join(root, path), "utf8"),
    );
    for (const name of Object.keys(matrix)) {
      for (const arg of argsOf(await renderedBy(name))) {
        const flag = /^--[A-Za-z-]+/.exec(arg)?.[0] ?? arg;
        expect(
          pages.some((page) => page.includes(`\`${flag}\``) || page.includes(`\`${flag}=`)),
          flag,
        ).toBe(true);
      }
    }
  });

  test("a webhook needs no custom annotations", async () => {
    expect(argsOf(await rendered({ values: { reloader: { webhookUrl: "https://x.example" } } }))).toContain(
      "--webhook-url=https://x.example",
    );
  });
});
