import { declaredState, hasNewDeclaredPods } from "../rollout-state/custom.ts";
import type { WorkloadKind } from "../workload/workload-kind.ts";
import { podController } from "./pod-controller.ts";

const shape = /^([^/=:]+)\/([^/=:]+)\/([^/=:]+)(?::([^/=:]+))?=(.+)$/;
const declaredGroup = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const declaredVersion = /^v[0-9a-z]+$/;
const kindName = /^[A-Z][A-Za-z0-9]*$/;
const pluralName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const fieldName = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** A write to one of these changes no pods, or is not ours to make. */
const notSpec: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

const example = "serving.knative.dev/v1/Service=spec.template";

/**
 * Parses a kind that people declare: `group/version/Kind[:plural]=path.to.template`. It may be any resource whose controller replaces its pods
 * when the pod template in it changes. For any other text it returns the problem.
 */
export function parseDeclaredKind(text: string): WorkloadKind | { readonly problem: string } {
  const [, groupText = "", versionText = "", kind = "", plural, path = ""] = shape.exec(text) ?? [];
  if (path === "")
    return {
      problem: `"${text}" is no kind; write group/version/Kind[:plural]=path, for example ${example}`,
    };
  const wrong = (what: string, value: string, mend: string) => ({
    problem: `"${text}": ${what} "${value}" ${mend}, for example ${example}`,
  });
  if (!declaredGroup.test(groupText))
    return wrong("the group", groupText, "must be that of its apiVersion, in lower case");
  if (!declaredVersion.test(versionText))
    return wrong("the version", versionText, "must be that of its apiVersion");
  if (!kindName.test(kind)) return wrong("the kind", kind, "must be written as in a manifest");
  if (plural !== undefined && !pluralName.test(plural))
    return wrong("the plural", plural, "must be the resource's name in lower case");
  const templatePath = path.split(".");
  if (!templatePath.every((field) => fieldName.test(field)))
    return wrong("the path", path, "must be names of fields with dots between them");
  if (notSpec.has(templatePath[0] ?? ""))
    return wrong("the path", path, "must lead to a pod template, which is no part of metadata or status");
  return podController(
    `${kind}.${groupText}`,
    { group: groupText, version: versionText, plural },
    declaredState,
    { apiKind: kind, patch: "merge", isOptional: true, templatePath, hasNewPods: hasNewDeclaredPods },
  );
}
