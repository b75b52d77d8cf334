import type { ReloadMode } from "../decision/judge.ts";
import type { SourceRef } from "../source/source.ts";

/** The change of a pod template that rolls its workload. */
export interface TemplateEdit {
  readonly annotations?: Readonly<Record<string, string>>;
  /** In the order in which a patch has to list them, so that the patch moves no existing variable. */
  readonly env?: readonly VariableEdit[];
  /** Variables to remove, by name: those of sources that are gone. A variable that does not exist counts as removed. */
  readonly removedEnv?: readonly VariableRef[];
}

/** One variable of one container. */
export interface VariableRef {
  readonly container: string;
  readonly name: string;
}

/** One variable of one container, each at most once in an edit. */
export interface VariableEdit extends VariableRef {
  readonly value: string;
}

/** A source whose content is not the one the pod template was made for. */
export interface MarkedSource {
  readonly source: SourceRef;
  /** Its mark now. */
  readonly mark: string;
  /** How it came to count. This decides which container gets its variable. */
  readonly mode: ReloadMode;
}
