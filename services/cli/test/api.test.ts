import { isJsonObject } from "@fleet-reloader/domain/json";
import { afterAll, describe, expect, test } from "vitest";
import { canary, startAskedWorld } from "./fixture/asked-world.ts";
import { commandRun } from "./fixture/command-run.ts";
import { startFleetBed } from "./fixture/fleet-bed.ts";
import { startServedApi } from "./fixture/served-api.ts";

const bed = await startFleetBed();
const world = await startAskedWorld();
const places = ["--kubeconfig", `${world.dataDir}/kubeconfig`, "--data-dir", world.dataDir];
const api = await startServedApi(bed.url, 2, [...places, "--mark-key-file", world.keyFile]);
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
});

const freeze = { scope: { cluster: "nova" }, reason: "disk full", by: "ann", untilMs: 4_000_000_000_000 };
await bed.client.connection.zadd(
  bed.keys.fleet.freezes,
  bed.clock.now(),
  `worker-1 ${JSON.stringify(freeze)}`,
);
await bed.hold(bed.request("uid-1"), "Frozen");
await bed.hold(bed.request("uid-2"), "ClusterUnreachable");
await bed.hold(bed.request("uid-1", "web"), "BudgetUnfinished");
const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
for (const [id, name] of [["uid-1", "nova"] as const, ["uid-2", "otech62"] as const]) {
  const at = { v: 1, time: new Date(bed.clock.now() - 60_000).toISOString(), cluster: { id, name } } as const;
  const change = `${id}/db@7`;
  const actor = { manager: "external-secrets", operation: "Update", time: at.time } as const;
  await bed.write({
    ...at,
    type: "change",
    change,
    fleetChange: "f1-a",
    source,
    resourceVersion: "7",
    actor,
  });
  const { workload } = bed.request(id);
  const sources = [{ ...source, change }];
  await bed.write({ ...at, type: "action", workload, action: "failed", fault: "kube.rejected", sources });
}
// A reader stops before the present millisecond.
await bed.clock.sleep(5, AbortSignal.timeout(1000));

/** Ages differ between two questions. */
function withoutAge(answer: unknown): unknown {
  if (!isJsonObject(answer) || !isJsonObject(answer.queue)) return answer;
  return { ...answer, queue: { ...answer.queue, oldestMs: undefined } };
}

describe("the API answers what the command line answers:", () => {
  test.each([
    [["status"], "/status"],
    [["clusters"], "/clusters"],
    [["clusters", "--cluster", "nova"], "/clusters?cluster=uid-1"],
    [["changes"], "/changes"],
    [["changes", "--change", "f1-a", "--since", "2h"], "/changes?change=f1-a&since=2h"],
    [["changes", "--namespace", "shop", "--name", "db"], "/changes?namespace=shop&name=db"],
    [["changes", "--cluster", "nova", "--name", "gone"], "/changes?cluster=nova&name=gone"],
    [["held"], "/held"],
    [["queue"], "/queue"],
    [["queue", "--since", "2h"], "/queue?since=2h"],
    [["held", "--cluster", "nova", "--reason", "Frozen"], "/held?cluster=nova&reason=Frozen"],
  ] as const)("%j", async (words, path) => {
    const { output, errors } = await bed.run(...words, "-o", "json");
    expect(errors).toBe("");
    const { json, status } = await api.ask(path);
    expect(status).toBe(200);
    expect(withoutAge(json)).toMatchObject(Object(withoutAge(JSON.parse(output))));
  });

  test.each([
    [["explain", "Deployment/api"], "/workloads/nova/Deployment/shop/api"],
    [["explain", "deploy/web"], "/workloads/nova/deploy/shop/web"],
    [["plan", "Secret/db"], "/sources/nova/Secret/shop/db"],
    [["plan", "secret/db", "--key", "other"], "/sources/nova/secret/shop/db?key=other"],
  ] as const)("%j", async (words, path) => {
    const { output } = await world.ask(...words, "-n", "shop", "--redis-url", bed.url, "-o", "json");
    const answered: unknown = JSON.parse(output);
    const { json, status } = await api.ask(path);
    expect(status).toBe(200);
    expect(json).toMatchObject({ ...Object(answered), time: expect.stringMatching(/Z$/) });
  });
});

test("the queue is counted by state, and what is held and failed by reason", async () => {
  const { json, status } = await api.ask("/queue");
  expect({ status, json }).toMatchObject({
    status: 200,
    json: {
      queue: { waiting: 0, prioritized: 0, active: 0 },
      held: { Frozen: 1, ClusterUnreachable: 1, BudgetUnfinished: 1 },
      failed: { "kube.rejected": 2 },
      isCut: false,
    },
  });
});

test("what is on hold comes with the freezes, and with a count of each reason", async () => {
  const { json } = await api.ask("/held?cluster=nova");
  expect(json).toMatchObject({
    count: 2,
    reasons: { Frozen: 1, BudgetUnfinished: 1 },
    freezeCount: 1,
    freezes: [{ scope: { cluster: "nova" }, reason: "disk full", by: "ann" }],
  });
});

test("one change names its workloads with what became of each", async () => {
  const { json } = await api.ask("/changes/f1-a");
  expect(json).toMatchObject({
    change: { id: "f1-a", actors: ["external-secrets"], clusters: ["nova", "otech62"] },
    count: 2,
    workloads: [
      { cluster: "nova", workload: { name: "api" }, progress: "failed", reason: "kube.rejected" },
      { cluster: "otech62", progress: "failed" },
    ],
  });
});

test.each([
  [
    "/workloads/nova/Deployment/shop/apo",
    "name: there is none in namespace shop of cluster nova",
    "did you mean Deployment/api?",
  ],
  [
    "/sources/nova/Secret/shop/dbb",
    "name: there is none in namespace shop, and no workload uses it",
    "did you mean Secret/db?",
  ],
])("what is not there is 404, with the name that was probably meant: %s", async (path, problem, mend) => {
  const { json, status } = await api.ask(path);
  expect({ status, json }).toMatchObject({ status: 404, json: { field: "name", problem, mend } });
});

test("a namespace that the registration does not show is refused before it is asked", async () => {
  expect((await api.ask("/workloads/nova-shop/Deployment/shop/api")).status).toBe(200);
  for (const object of ["workloads/nova-shop/Deployment/bank/api", "sources/nova-shop/Secret/bank/db"]) {
    const { json, status } = await api.ask(`/${object}`);
    expect({ status, json }).toMatchObject({
      status: 404,
      json: {
        field: "namespace",
        value: "bank",
        problem: "namespace: the registration of the cluster shows only shop",
        mend: "ask about one of these",
      },
    });
  }
});

test("no answer holds the content of a Secret, its mark or its digest", async () => {
  const { annotations = {} } = world.cluster.get("Deployment", "shop", "api")?.metadata ?? {};
  const recorded = Object.entries(annotations).flatMap(([key, text]) =>
    key.startsWith("fleet-reloader.io/carried-") ? [...text.matchAll(/[A-Za-z0-9_-]{16,}/g)] : [],
  );
  const digests = recorded.map(([digest]) => digest);
  expect(digests.length).toBeGreaterThan(0);
  const paths = [
    "/status",
    "/clusters",
    "/changes",
    "/changes/f1-a",
    "/held",
    "/queue",
    "/workloads/nova/Deployment/shop/api",
    "/workloads/nova/Deployment/shop/web",
    "/workloads/nova/Deployment/shop/gone",
    "/sources/nova/Secret/shop/db",
    "/sources/nova/Secret/shop/gone",
    `/sources/nova/Secret/shop/db?key=${"x".repeat(300)}`,
  ];
  for (const path of paths) {
    const { text } = await api.ask(path);
    expect(text.length).toBeGreaterThan(10);
    for (const secret of [canary, Buffer.from(canary).toString("base64").slice(0, 12), ...digests])
      expect(text, path).not.toContain(secret);
    expect(text, path).not.toMatch(/[0-9a-f]{32}/);
  }
});

test("a server that is not connected to one cluster answers for the others", async () => {
  const clusters = ["--cluster", "otech62", "--cluster", "nova", "--server", api.url];
  const { code, errors, output } = await commandRun([
    "plan",
    "Secret/db",
    "-n",
    "shop",
    "-ojson",
    ...clusters,
  ]);
  expect(JSON.parse(output)).toMatchObject({ cluster: "nova" });
  expect({ code, errors }).toEqual({
    code: 78,
    errors: expect.stringMatching(/^--cluster otech62: none is/),
  });
});
