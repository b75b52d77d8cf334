import { jsonField } from "@fleet-reloader/domain/json";
import { type IssuedPerson, issuedPerson, refusedPerson } from "../issued-person.ts";

/** The names of the claims that identify a person in an ID token. */
export interface ClaimNames {
  readonly username: string;
  readonly groups: string;
}

/** The person in the claims of a verified ID token. Faults with `access.forbidden` when the claims do not identify one. */
export function personOfClaims(claims: unknown, names: ClaimNames): IssuedPerson {
  const field = `claim ${names.username}`;
  const name = jsonField(claims, names.username);
  if (typeof name !== "string" || name === "")
    throw refusedPerson(
      field,
      "",
      "the issuer does not say it in the ID token",
      "let it be there, ask for more with --oidc-scopes, or name another claim with --oidc-username-claim",
    );
  const isVerified = [true, "true"].some((yes) => yes === jsonField(claims, "email_verified"));
  // An unverified address may belong to somebody else, so it is no name.
  if (names.username === "email" && !isVerified)
    throw refusedPerson(
      "claim email_verified",
      String(jsonField(claims, "email_verified")),
      "the issuer has not verified the address",
      "verify it there, or name a claim that people cannot change with --oidc-username-claim",
    );
  const groups = claimedGroupsOf(jsonField(claims, names.groups));
  return issuedPerson(name, field, groups, `claim ${names.groups}`);
}

/** A claim holds a list of texts, or one text. Other values are no groups. */
function claimedGroupsOf(claim: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return all.flatMap((one) => (typeof one === "string" && one !== "" ? [one] : []));
}
