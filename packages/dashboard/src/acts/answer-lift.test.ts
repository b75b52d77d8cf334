import { expect, test } from "vitest";
import { actingFleet, admin, memoryFreezes } from "../fixture/acting-fleet.ts";
import { startServedFleet } from "../fixture/served-fleet.ts";

const json = { "content-type": "application/json" };

/** Lifts the freeze of the cluster nova, which holds two workloads, from a document that has these freezes, too. */
async function liftBeside(others: string) {
  const freezes = memoryFreezes(`- cluster: nova\n  reason: disk full\n${others}`);
  const { acts, overview } = actingFleet(admin, freezes);
  await using served = await startServedFleet({ acts, overview });
  const body = JSON.stringify({ cluster: "nova", reason: "the disk is mended", expect: 2 });
  const sent = await served.ask("/api/v1/acts/lift", json, "POST", body);
  return JSON.parse(sent.body).notice;
}

const removed = "removed from ConfigMap reloader/freezes: the freeze of cluster nova;";

// Whoever lifts a freeze wants rolls: nothing rolls while another freeze covers the same.
test("a lift names the freezes that go on holding some of the same workloads", async () => {
  expect(await liftBeside("- workload: deploy/api\n  reason: migration\n  by: bob\n")).toBe(
    `${removed} 1 of 2 stay frozen: workload Deployment/api: migration (by bob)`,
  );
  expect(
    await liftBeside("- fleet: true\n  reason: incident\n- namespace: shop\n  reason: release\n"),
  ).toMatch(/; 2 of 2 stay frozen: the fleet: incident \(by .*\); namespace shop: release \(by .*\)$/);
});

test.each([
  ["of another cluster", "- cluster: otech62\n  reason: disk full\n"],
  ["of a namespace without a workload", "- namespace: bank\n  reason: release\n"],
  ["that is over", "- fleet: true\n  reason: incident\n  until: 2020-01-01T00:00:00Z\n"],
])("a lift does not name a freeze %s", async (_what, other) => {
  expect(await liftBeside(other)).toBe("no longer frozen in ConfigMap reloader/freezes: cluster nova");
});

/** Sends a dry run of an admin, and returns the refusal. */
async function refusalOf(act: string, own: object) {
  const { acts, overview } = actingFleet(admin);
  await using served = await startServedFleet({ acts, overview });
  const body = JSON.stringify(Object.assign({ reason: "incident 4711", dryRun: true }, own));
  return JSON.parse((await served.ask(`/api/v1/acts/${act}`, json, "POST", body)).body);
}

test("every wrong field of a freeze is refused with its value and what to write", async () => {
  const wrong = { namespace: "Shop", workload: "Deploymnt/api", until: "soon" };
  const parts = [
    {
      field: "namespace",
      value: "Shop",
      problem: 'namespace: "Shop" is no name of a namespace',
      mend: "write one in lower case, and no pattern",
    },
    {
      field: "workload",
      value: "Deploymnt/api",
      problem: 'workload: "Deploymnt/api" is not of a known kind of workload',
      mend: "write Deployment/api",
    },
    {
      field: "until",
      value: "soon",
      problem: 'until: "soon" is no time',
      mend: "write for example 2026-01-31T18:00:00Z",
    },
  ];
  expect(await refusalOf("freeze", wrong)).toEqual({ code: "question.invalid", ...parts[0], parts });
});

test("every field that a body may not have, or not so, is refused", async () => {
  const wrong = { objct: "Deployment/api", batch: 99, dryRun: "yes", 1: 2 };
  const { parts, ...first } = await refusalOf("retry", wrong);
  expect(parts.map((part: { field: string; mend: string }) => [part.field, part.mend])).toEqual([
    ["1", expect.stringMatching(/^write one of object, /)],
    ["objct", "did you mean object?"],
    ["dryRun", "docs/reference/openapi.json says what each field may be"],
    ["batch", "docs/reference/openapi.json says what each field may be"],
  ]);
  expect(first).toEqual({ code: "question.invalid", ...parts[0] });
});

test.each([
  ["freeze", { until: "soon" }, "until", "soon", 'until: "soon" is no time', "write for example 2026"],
  [
    "lift",
    { workload: "pod/a" },
    "workload",
    "pod/a",
    /^workload: "pod\/a" is not of a known kind/,
    "known are",
  ],
  ["lift", {}, "body", "", "body: does not say what is frozen", "write fleet: true, or one or more of"],
] as const)(
  "the refusal of %s %j has the value and what to write",
  async (act, own, field, value, why, mend) => {
    const scope = field === "until" ? { fleet: true } : {};
    const refusal = await refusalOf(act, Object.assign(scope, own));
    const problem = expect.stringMatching(why);
    expect(refusal).toMatchObject({ field, value, problem, mend: expect.stringContaining(mend) });
    expect(refusal).not.toHaveProperty("parts");
  },
);
