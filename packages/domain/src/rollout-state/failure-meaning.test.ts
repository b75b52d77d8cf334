import { expect, test } from "vitest";
import { failureMeaning } from "./failure-meaning.ts";

test("a failure has the words of the rollout or of the fault", () => {
  expect(failureMeaning("JobFailed")).toBe("The recreated Job has failed.");
  expect(failureMeaning("kube.forbidden")).toContain("Grant the verb named in the message.");
  expect(failureMeaning("Unheard")).toBe("");
});
