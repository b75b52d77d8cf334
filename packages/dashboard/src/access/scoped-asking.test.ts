import type { ExplainedVerdict } from "@fleet-reloader/engine/ask/explanation";
import { expect, test } from "vitest";
import type { AskedFleet } from "../api/asked-routes.ts";
import { createAccessWorld, subjectsOf, tokenOf } from "../fixture/access-world.ts";
import { fleetOf, nobodyAsked, overviewOf, startServedFleet } from "../fixture/served-fleet.ts";
import { createGrantedCaller } from "./granted-caller.ts";
import { scopeAsking } from "./scoped-asking.ts";

const held = (reason: "BudgetUnfinished" | "FreezeUnreadable", why: string): ExplainedVerdict => ({
  type: "held",
  causes: [],
  reason,
  why,
});
const verdicts = [
  held("BudgetUnfinished", "2 of 2 rollouts; unfinished: Deployment/billing/pay of otech62"),
  held("FreezeUnreadable", "freezes.yaml: namespace billing: is no list"),
];

/** The text that a caller with this grant sees of a workload that is held for each of these reasons. */
async function told(namespaces: "all" | readonly string[]): Promise<string> {
  const viewer = createGrantedCaller(
    { name: "ann", grants: [{ role: "viewer", clusters: "all", namespaces }] },
    [],
  );
  const answers = verdicts.map(async (verdict) => {
    const asked = {
      ...nobodyAsked,
      explain: async () => ({ verdict }),
      plan: async () => ({ users: [{ verdict }] }),
    } as unknown as AskedFleet;
    const overview = fleetOf([overviewOf("nova")]);
    const scoped = scopeAsking({ asked, overview }, viewer, { namespace: "shop" });
    const { signal } = new AbortController();
    const any = undefined as never;
    return [await scoped.explain(any, any, signal), await scoped.plan(any, any, signal)];
  });
  return JSON.stringify(await Promise.all(answers));
}

test("a viewer of a part is not told which other workloads hold a roll", async () => {
  const all = await told("all");
  expect(all.match(/otech62/g)).toHaveLength(2);
  const part = await told(["shop"]);
  expect(part).toContain("2 of 2 rollouts");
  expect(part).toContain("a document of freezes cannot be read");
  expect(part).not.toMatch(/billing|otech62/);
});

test.each([["/api/v1/workloads/nova/Deployment/shop/api"], ["/api/v1/sources/nova/Secret/shop/db"]])(
  "only a viewer of a whole cluster is told what its registration shows: %s",
  async (path) => {
    const subjects = subjectsOf({
      ann: [{ role: "viewer", clusters: ["nova"], namespaces: "*" }],
      bob: [{ role: "viewer", clusters: ["nova"], namespaces: ["shop", "payroll"] }],
    });
    const overview = fleetOf([overviewOf("nova")]);
    const registered = { name: "nova", namespaces: ["billing", "payroll"] };
    const asked = {
      ...nobodyAsked,
      ask: (_: string, question: (cluster: typeof registered) => Promise<unknown>) => question(registered),
    } as unknown as AskedFleet;
    const { access } = createAccessWorld(subjects, overview);
    await using served = await startServedFleet({ overview, access, asked });
    const ask = (name: string) => served.ask(path, { authorization: `Bearer ${tokenOf(name)}` });
    const [ann, bob] = [await ask("ann"), await ask("bob")];
    expect([ann.status, ann.body]).toEqual([404, expect.stringContaining("shows only billing, payroll")]);
    expect([bob.status, bob.body]).toEqual([404, expect.stringContaining("does not show this namespace")]);
    expect(bob.body).not.toMatch(/billing|payroll/);
  },
);
