import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compatVariableName, isCompatVariableName } from "./variable-name.ts";

describe("the variable of a source", () => {
  test.each([
    ["my.app.config", "STAKATER_MY_APP_CONFIG_CONFIGMAP"],
    ["a--b", "STAKATER_A_B_CONFIGMAP"],
    ["1st.cm", "STAKATER_1ST_CM_CONFIGMAP"],
    ["app", "STAKATER_APP_CONFIGMAP"],
    ["-.-app", "STAKATER_APP_CONFIGMAP"],
    ["app.-", "STAKATER_APP__CONFIGMAP"],
    ["a.-_b", "STAKATER_A_B_CONFIGMAP"],
  ])("%s is %s", (name, expected) => {
    expect(compatVariableName({ kind: "ConfigMap", name })).toBe(expected);
  });

  test("tells the kinds apart, but not a-b and a.b", () => {
    expect(compatVariableName({ kind: "Secret", name: "a-b" })).toBe("STAKATER_A_B_SECRET");
    expect(compatVariableName({ kind: "Secret", name: "a.b" })).toBe("STAKATER_A_B_SECRET");
  });

  test("is always a variable's name, and known as one of ours", () => {
    const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,30}[a-z0-9])?$/);
    fc.assert(
      fc.property(name, fc.constantFrom("ConfigMap", "Secret"), (each, kind) => {
        const variable = compatVariableName({ kind, name: each });
        expect(variable).toMatch(/^[A-Z_][A-Z0-9_]*$/);
        expect(isCompatVariableName(variable)).toBe(true);
      }),
    );
  });

  test.each([
    "STAKATER_HOME",
    "MY_STAKATER_A_SECRET",
    "STAKATER_A_SECRET_KEY",
    "STAKATER_CONFIGMAP",
    "stakater_a_secret",
  ])("is not %s, which is somebody else's", (variable) => {
    expect(isCompatVariableName(variable)).toBe(false);
  });

  test("of a CSI object is known as one of the peer's", () => {
    expect(isCompatVariableName("STAKATER_MY_SPC_SECRETPROVIDERCLASS")).toBe(true);
  });
});
