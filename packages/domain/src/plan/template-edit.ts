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
 * The edit of the template that a planned roll writes, by strategy. Annotations replace variables in two cases: the template has no containers,
 * or no variable would change, so nothing would roll. The latter happens when a rollback brought the variables back (its pods read what was
 * there then), or when a source is gone that never had a variable.
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
 * A missing variable does not prove that the roll for a deletion has landed, because it may never have been there. The mark does. Once written,
 * the mark is updated with the content, so that it never stands for an earlier one.
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

/** The existing variables of sources that are gone. A variable that an existing source shares and sets is kept. */
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

/** `a-b` and `a.b` share one variable, and its value is made of both marks. */
function withSharing(roll: RollPlan): readonly MarkedSource[] {
  const variables = new Set(roll.changed.map((changed) => compatVariableName(changed.source)));
  return roll.present.filter((present) => variables.has(compatVariableName(present.source)));
}
