import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryTemplate } from "../fixture/arbitrary-template.ts";
import { collectReferences } from "../reference/collect.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";
import { templateIdentity } from "../workload/template-identity.ts";
import { annotationsEdit } from "./annotations.ts";
import { applyEdit, hasEdit } from "./apply-edit.ts";
import { envVarsEdit } from "./env-vars.ts";

// The edit of either strategy for all the sources of a template at once, in random order.
const arbitraryEdit = fc
  .tuple(
    arbitraryTemplate,
    fc.array(fc.constantFrom("m1", "m2"), { minLength: 9, maxLength: 9 }),
    fc.boolean(),
  )
  .map(([template, marks, isEnv]) => {
    const parsed = parsePodTemplate(template);
    const changed = collectReferences(parsed, "ns")
      .map(({ source }, i) => ({ source, mark: marks[i] ?? "m", mode: "auto" as const }))
      .reverse();
    const combine = (sharing: readonly { readonly mark: string }[]) =>
      sharing.map(({ mark }) => mark).join("+");
    const edit = isEnv
      ? envVarsEdit({ changed, template: parsed, combine })
      : annotationsEdit({ changed, mark: "combined", template: parsed, nowSeconds: 7 });
    return { template, edit };
  });

test("a template carries what was applied to it", () => {
  fc.assert(
    fc.property(arbitraryEdit, ({ template, edit }) => {
      expect(hasEdit(applyEdit(template, edit), edit)).toBe(true);
    }),
  );
});

test("what a template carries already changes nothing, so that a repeat is free", () => {
  fc.assert(
    fc.property(arbitraryEdit, ({ template, edit }) => {
      const once = applyEdit(template, edit);
      expect(applyEdit(once, edit)).toEqual(once);
    }),
  );
});

test("an edit changes nothing of a template but what is ours", () => {
  fc.assert(
    fc.property(arbitraryEdit, ({ template, edit }) => {
      expect(templateIdentity(applyEdit(template, edit))).toBe(templateIdentity(template));
    }),
  );
});

test("an edit changes no reference of a template", () => {
  fc.assert(
    fc.property(arbitraryEdit, ({ template, edit }) => {
      const before = collectReferences(parsePodTemplate(template), "ns");
      expect(collectReferences(parsePodTemplate(applyEdit(template, edit)), "ns")).toEqual(before);
    }),
  );
});
