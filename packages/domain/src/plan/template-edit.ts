import { markAnnotation } from "../annotation/own-keys.ts";
import { targetContainer } from "../compat/target-container.ts";
import { compatVariableName } from "../compat/variable-name.ts";
import type { Keyring } from "../source/keyring.ts";
import { combineMarks } from "../source/mark.ts";
import { annotationsEdit } from "../strategy/annotations.ts";
import type { MarkedSource, TemplateEdit, VariableEdit, VariableRef } from "../strategy/edit.ts";
import { envVarsEdit } from "../strategy/env-vars.ts";
import type { ReloadStrategy } from "../strategy/reload-strategy.ts";
import type { PodTemplate } from "../workload/pod-template.ts";
import type { RollPlan } from "./plan.ts";

/**
 * How a planned roll is written, by strategy. A template without containers has no variables: it gets annotations. So does one
 * whose variables say it all already (a rollback brought them back, and its pods read what was there then; or a source is gone
 * that never had one): nothing would roll.
 */
export function templateEdit(
  roll: RollPlan,
  strategy: ReloadStrategy,
  template: PodTemplate,
  context: { readonly keys: Keyring; readonly nowSeconds: number },
): TemplateEdit {
  if (strategy === "env-vars") {
    const combine = (marks: readonly MarkedSource[]) => combineMarks(marks, context.keys.current);
    const edit = envVarsEdit({ changed: withSharing(roll), template, combine });
    const set = edit.env ?? [];
    const removed = removedVariables(roll, template, set);
    const marked = markBesideVariables(roll, template);
    if (removed.length > 0) return { ...marked, env: set, removedEnv: removed };
    if (!set.every((variable) => isSet(template, variable))) return { ...marked, ...edit };
  }
  return annotationsEdit({
    changed: roll.changed,
    mark: roll.mark,
    template,
    nowSeconds: context.nowSeconds,
  });
}

/**
 * A variable that is gone, or never was there, does not tell whether the roll for a deletion has landed: the mark does. From then on
 * it follows the content, for it must not tell of an earlier one.
 */
function markBesideVariables(roll: RollPlan, { metadata }: PodTemplate): Pick<TemplateEdit, "annotations"> {
  const isMarked = Object.hasOwn(metadata.annotations, markAnnotation);
  const isDue = isMarked || roll.changed.some(({ reason }) => reason === "SourceDeleted");
  return isDue ? { annotations: { [markAnnotation]: roll.mark } } : {};
}

function isSet(template: PodTemplate, { container, name, value }: VariableEdit): boolean {
  return template.spec.containers.some(
    (one) =>
      one.name === container &&
      one.env.some((variable) => variable.name === name && variable.value === value),
  );
}

/** The variables of sources that are gone, where they are; not one that a source that is there shares and sets. */
function removedVariables(
  roll: RollPlan,
  template: PodTemplate,
  set: readonly VariableEdit[],
): readonly VariableRef[] {
  const isThis = (a: VariableRef) => (b: VariableRef) => a.container === b.container && a.name === b.name;
  const inTemplate = template.spec.containers.flatMap(({ name: container, env }) =>
    env.map(({ name }): VariableRef => ({ container, name })),
  );
  const removed = roll.changed
    .filter(({ reason }) => reason === "SourceDeleted")
    .flatMap(({ source, mode }) => {
      const container = targetContainer(template, source, mode);
      return container === undefined ? [] : [{ container, name: compatVariableName(source) }];
    })
    .filter((variable) => inTemplate.some(isThis(variable)) && !set.some(isThis(variable)));
  return removed.filter((variable, at) => removed.findIndex(isThis(variable)) === at);
}

/** `a-b` and `a.b` share one variable: its value is made of both. */
function withSharing(roll: RollPlan): readonly MarkedSource[] {
  const variables = new Set(roll.changed.map((changed) => compatVariableName(changed.source)));
  return roll.present.filter((present) => variables.has(compatVariableName(present.source)));
}
