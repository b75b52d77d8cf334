import { expect, test } from "vitest";
import { execProblem } from "./exec-policy.ts";

const problemWith = (name: string) =>
  execProblem({ exec: { command: "aws", env: [{ name, value: "x" }] } }, ["aws"]);

test.each([
  "PATH",
  "LD_PRELOAD",
  "NODE_OPTIONS",
  "BASH_ENV",
  "BASH_FUNC_aws%%",
  "SHELLOPTS",
  "PS4",
  "CLOUDSDK_PYTHON",
  "CLOUDSDK_PYTHON_ARGS",
])("a plugin may not be given %s: it would run something else", (name) => {
  expect(problemWith(name)).toContain(`may not be given the variable ${name};`);
});

test.each(["AWS_PROFILE", "CLOUDSDK_CORE_PROJECT", "HTTPS_PROXY", "ENVIRONMENT"])(
  "a plugin may be given %s",
  (name) => {
    expect(problemWith(name)).toBeUndefined();
  },
);
