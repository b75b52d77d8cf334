import { expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { the } from "./manifest.ts";

test.each([
  [{ maxUnavailable: "", minAvailable: 1 }, { minAvailable: 1 }],
  [{ maxUnavailable: "", minAvailable: "" }, { maxUnavailable: 1 }],
  [{ maxUnavailable: 0, minAvailable: 1 }, { maxUnavailable: 0 }],
  [{ maxUnavailable: "25%" }, { maxUnavailable: "25%" }],
])("the budget of disruptions %j is %j", async (given, wanted) => {
  const reloader = { podDisruptionBudget: { enabled: true, ...given } };
  const { spec } = the(await rendered({ values: { reloader } }), "PodDisruptionBudget");
  expect(spec).toEqual({ ...wanted, selector: expect.anything() });
});
