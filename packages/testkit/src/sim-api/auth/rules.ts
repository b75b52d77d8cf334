/** What a role allows. "*" stands for all; no `namespaces` means everywhere, cluster-wide lists included. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  /** `deployments`, `deployments/status`, `*`. */
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly namespaces?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface AccessRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** undefined or "": the whole cluster. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export const allRules: readonly AccessRule[] = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];

export function isAllowed(rules: readonly AccessRule[], request: AccessRequest): boolean {
  return rules.some((rule) => allows(rule, request));
}

function allows(rule: AccessRule, request: AccessRequest): boolean {
  const { namespace = "", name = "", subresource = "" } = request;
  const resource = subresource === "" ? request.resource : `${request.resource}/${subresource}`;
  return (
    includes(rule.verbs, request.verb) &&
    includes(rule.apiGroups, request.group) &&
    (includes(rule.resources, resource) ||
      (subresource !== "" && rule.resources.includes(`*/${subresource}`))) &&
    (rule.namespaces === undefined || (namespace !== "" && rule.namespaces.includes(namespace))) &&
    (rule.resourceNames === undefined || rule.resourceNames.includes(name))
  );
}

function includes(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}
