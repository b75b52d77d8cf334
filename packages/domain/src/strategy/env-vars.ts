import { targetContainer } from "../compat/target-container.ts";
import { compatVariableName } from "../compat/variable-name.ts";
import { sourceKey } from "../source/source.ts";
import type { Container, PodTemplate } from "../workload/pod-template.ts";
import type { MarkedSource, TemplateEdit, VariableEdit } from "./edit.ts";

/** Input of the env-vars strategy. */
export interface EnvVarsEditInput {
  /**
   * In any order. Sources that share a variable (`a-b` and `a.b`) must be passed together even when only one has changed. Otherwise each of them
   * overwrites the variable in turn, as happens to the peer.
   */
  readonly changed: readonly MarkedSource[];
  readonly template: PodTemplate;
  /** One mark for several, in the order of their sources. Called only for sources that share a variable. */
  readonly combine: (marks: readonly MarkedSource[]) => string;
}

/** The edit of the env-vars strategy: for each source, its variable in its one container. */
export function envVarsEdit({ changed, template, combine }: EnvVarsEditInput): TemplateEdit {
  const targeted = changed.map((each) => ({
    container: targetContainer(template, each.source, each.mode),
    name: compatVariableName(each.source),
    each,
  }));
  const env = template.spec.containers.flatMap((container) => {
    const here = targeted.filter((target) => target.container === container.name);
    const byVariable = Map.groupBy(here, ({ name }) => name);
    return inTemplateOrder([...byVariable.keys()], container).map((name): VariableEdit => {
      const sharing = (byVariable.get(name) ?? []).map(({ each }) => each);
      return { container: container.name, name, value: sharedMark(sharing, combine) };
    });
  });
  return { env };
}

function sharedMark(sharing: readonly MarkedSource[], combine: EnvVarsEditInput["combine"]): string {
  const [first, ...others] = sharing;
  if (first !== undefined && others.length === 0) return first.mark;
  return combine([...sharing].sort((a, b) => (sourceKey(a.source) < sourceKey(b.source) ? -1 : 1)));
}

/** A strategic merge orders a list like the patch. So existing variables keep their order, and new ones follow. */
function inTemplateOrder(names: readonly string[], container: Container): readonly string[] {
  const existing = [...new Set(container.env.map(({ name }) => name))];
  return [
    ...existing.filter((name) => names.includes(name)),
    ...names.filter((name) => !existing.includes(name)).sort(),
  ];
}
