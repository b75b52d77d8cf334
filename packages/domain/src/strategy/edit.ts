import type { ReloadMode } from "../decision/judge.ts";
import type { SourceRef } from "../source.ts";

/** What is set in a pod template to roll its workload. Nothing is ever removed by an edit. */
export interface TemplateEdit {
  readonly annotations?: Readonly<Record<string, string>>;
  /** In the order in which a patch has to list them, so that it moves nothing that is there. */
  readonly env?: readonly VariableEdit[];
}

/** One variable of one container, each at most once in an edit. */
export interface VariableEdit {
  readonly container: string;
  readonly name: string;
  readonly value: string;
}

/** A source whose content is not what the pod template carries. */
export interface ChangedSource {
  readonly source: SourceRef;
  /** Its mark now. */
  readonly mark: string;
  /** How it came to count, which decides in which container its variable goes. */
  readonly mode: ReloadMode;
}
