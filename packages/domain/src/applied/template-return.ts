import { type ManagedFields, managedFieldsOf } from "../evidence/managed-fields.ts";
import { fieldManager } from "../field-manager.ts";
import type { AppliedTemplate } from "./applied-state.ts";

/** A workload whose older pods may run with earlier contents. */
export interface ReturningWorkload {
  readonly object: unknown;
  readonly templatePath: readonly string[];
  /** All existing pods run the current template. */
  readonly isRolledOut: boolean;
}

export interface TemplateReturn {
  /** Others have written the template since the applied state was made. */
  readonly isEditedSince: boolean;
  /**
   * The template and its pods may be from before. False while pods of several templates run, because pods that stay cannot be told from pods that
   * go.
   */
  readonly mayHaveReturned: boolean;
}

/** Whether an earlier template may have replaced the template that an applied state was made for. */
export function templateReturn(
  template: AppliedTemplate,
  { isRolledOut, object, templatePath }: ReturningWorkload,
): TemplateReturn {
  const isEditedSince = isTemplateEdited(object, templatePath, template.togetherUntilSeconds === 0);
  const isOpen = isEditedSince || template.isDuringRollout === true;
  return { isEditedSince, mayHaveReturned: isOpen && isRolledOut };
}

/**
 * Whether others have written the pod template since our last write to the object, or in the same second. After a roll of ours we own a part of the
 * template. If we own none, somebody took our edits out, which leaves no owner.
 */
function isTemplateEdited(object: unknown, templatePath: readonly string[], isRolled: boolean): boolean {
  const all = managedFieldsOf(object);
  if (all.length === 0) return false;
  const ownAtSeconds = Math.max(0, ...all.filter(isOwn).map(({ atSeconds }) => atSeconds));
  const owners = all.filter((entry) => entry.owns(...templatePath));
  if (isRolled && !owners.some(isOwn)) return true;
  return owners.some((entry) => !isOwn(entry) && entry.atSeconds >= ownAtSeconds);
}

/** The second in which others wrote the pod template last, at the latest; 0 where nothing tells. */
export function templateEditedAt(object: unknown, templatePath: readonly string[]): number {
  const others = managedFieldsOf(object).filter((entry) => !isOwn(entry) && entry.owns(...templatePath));
  return Math.max(0, ...others.map(({ atSeconds }) => atSeconds));
}

function isOwn({ manager }: Pick<ManagedFields, "manager">): boolean {
  return manager === fieldManager;
}
