import { type JsonObject, objectAt, stringAt } from "../objects/json.ts";
import type { UserDirectory } from "./users.ts";

/** Answers a SelfSubjectAccessReview: may the caller do this? Nothing is stored. */
export function reviewAccess(users: UserDirectory, user: string, review: JsonObject): JsonObject {
  const asked = objectAt(review, "spec", "resourceAttributes");
  const allowed =
    asked !== undefined &&
    users.mayAccess(user, {
      verb: stringAt(asked, "verb") ?? "",
      group: stringAt(asked, "group") ?? "",
      resource: stringAt(asked, "resource") ?? "",
      subresource: stringAt(asked, "subresource"),
      namespace: stringAt(asked, "namespace"),
      name: stringAt(asked, "name"),
    });
  return {
    kind: "SelfSubjectAccessReview",
    apiVersion: "authorization.k8s.io/v1",
    metadata: {},
    spec: review.spec,
    status: { allowed },
  };
}
