import { jsonField, jsonList, jsonText, jsonTexts } from "../json.ts";

/**
 * The label selector of a workload's pods (`spec.selector`), as Kubernetes writes it; undefined when it has none. An empty selector would select
 * every pod of the namespace, so it counts as none.
 */
export function podSelectorOf(object: unknown): string | undefined {
  const selector = jsonField(object, "spec", "selector");
  // A DeploymentConfig has the labels directly in the selector.
  const isPlain =
    jsonField(selector, "matchLabels") === undefined && jsonField(selector, "matchExpressions") === undefined;
  const labels = Object.entries(jsonTexts(isPlain ? selector : jsonField(selector, "matchLabels")));
  const expressions = jsonList(selector, "matchExpressions").flatMap(expressionText);
  const parts = [...labels.map(([key, value]) => `${key}=${value}`), ...expressions];
  return parts.length === 0 ? undefined : parts.join(",");
}

function expressionText(expression: unknown): readonly string[] {
  const key = jsonText(expression, "key");
  const values = jsonList(expression, "values").filter((value) => typeof value === "string");
  if (key === undefined) return [];
  switch (jsonField(expression, "operator")) {
    case "In":
      return [`${key} in (${values.join(",")})`];
    case "NotIn":
      return [`${key} notin (${values.join(",")})`];
    case "Exists":
      return [key];
    case "DoesNotExist":
      return [`!${key}`];
    default:
      return [];
  }
}
