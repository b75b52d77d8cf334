import type { ReloadMode } from "../decision/judge.ts";
import type { SourceRef } from "../source/source.ts";

/** What is changed in a pod template to roll its workload. */
export interface TemplateEdit {
  readonly annotations?: Readonly<Record<string, string>>;
  /** In the order in which a patch has to list them, so that it moves nothing that is there. */
  readonly env?: readonly VariableEdit[];
  /** Variables that go, each by name: those of sources that are gone. One that is not there is gone already. */
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

/** A source whose content is not what the pod template carries. */
export interface MarkedSource {
  readonly source: SourceRef;
  /** Its mark now. */
  readonly mark: string;
  /** How it came to count, which decides in which container its variable goes. */
  readonly mode: ReloadMode;
}
