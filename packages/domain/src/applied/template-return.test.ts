import { describe, expect, test } from "vitest";
import { fieldManager } from "../field-manager.ts";
import { templateReturn } from "./template-return.ts";

const templatePath = ["spec", "template"];
const ownsTemplate = { "f:spec": { "f:template": {} } };
const rolled = { digest: "d", togetherUntilSeconds: 0 };
const recorded = { digest: "d", togetherUntilSeconds: 100 };

function writtenBy(...all: readonly (readonly [manager: string, at: number, fieldsV1?: object])[]) {
  const managedFields = all.map(([manager, at, fieldsV1 = {}]) => {
    return { manager, time: new Date(at * 1000).toISOString(), fieldsV1 };
  });
  return { object: { metadata: { managedFields } }, templatePath, isRolledOut: true };
}

describe("a template may have returned", () => {
  test.each([
    [
      "after others wrote it",
      rolled,
      [
        ["kubectl", 110, ownsTemplate],
        [fieldManager, 100, ownsTemplate],
      ],
    ],
    [
      "in the second of our write",
      recorded,
      [
        ["kubectl", 100, ownsTemplate],
        [fieldManager, 100],
      ],
    ],
    [
      "after our roll was taken out, which leaves no owner",
      rolled,
      [
        ["kubectl", 90, ownsTemplate],
        [fieldManager, 100],
      ],
    ],
    [
      "when it was recorded during a rollout",
      { ...recorded, isDuringRollout: true } as const,
      [[fieldManager, 100]],
    ],
    [
      "when our own roll may have brought it back",
      { ...rolled, isDuringRollout: true } as const,
      [
        ["kubectl", 90],
        [fieldManager, 100, ownsTemplate],
      ],
    ],
  ] as const)("%s", (_, template, writes) => {
    expect(templateReturn(template, writtenBy(...writes)).mayHaveReturned).toBe(true);
    const under = { ...writtenBy(...writes), isRolledOut: false };
    expect(templateReturn(template, under).mayHaveReturned).toBe(false);
  });
});

test.each([
  [
    "since others wrote only a status",
    rolled,
    [
      ["controller", 110],
      [fieldManager, 100, ownsTemplate],
    ],
  ],
  [
    "since others wrote it before us",
    recorded,
    [
      ["kubectl", 90, ownsTemplate],
      [fieldManager, 100],
    ],
  ],
  ["where the API server names no manager", rolled, []],
] as const)("a template has not returned %s", (_, template, writes) => {
  expect(templateReturn(template, writtenBy(...writes))).toEqual({
    isEditedSince: false,
    mayHaveReturned: false,
  });
});
