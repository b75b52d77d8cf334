import { Fault } from "@fleet-reloader/domain/fault";
import { type AccessSubject, isSubjectName } from "@fleet-reloader/runtime/access/access-document";

/** A person, as an issuer or a trusted proxy describes them. */
export interface IssuedPerson {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Maximum groups of a person: more than issuers put into a token. */
const personGroupsMax = 1000;

/** A person with this name and these groups. Faults when they cannot be used; `nameField` and `groupsField` say where they come from. */
export function issuedPerson(
  name: string,
  nameField: string,
  groups: readonly string[],
  groupsField: string,
): IssuedPerson {
  if (!isSubjectName(name))
    throw refusedPerson(
      nameField,
      name,
      "it is no name",
      "let it be at most 64 letters and digits, or name another one",
    );
  if (groups.length > personGroupsMax)
    throw refusedPerson(
      groupsField,
      String(groups.length),
      `there are more than ${personGroupsMax} groups`,
      "let only groups of the access file be sent",
    );
  return { name, groups };
}

/** The grants of a person: of their own entry and of each of their groups. Undefined when there are none. */
export function subjectOfPerson(
  { groups, name }: IssuedPerson,
  subjects: readonly AccessSubject[],
): AccessSubject | undefined {
  // The history could not tell apart a machine and a person with the same name.
  if (subjects.some((subject) => subject.type === "machine" && subject.name === name)) return undefined;
  const grants = subjects
    .filter(({ name: its, type }) =>
      type === "person" ? its === name : type === "group" && groups.includes(its),
    )
    .flatMap((subject) => subject.grants);
  return grants.length === 0 ? undefined : { name, type: "person", digests: [], grants };
}

/** Maximum groups in the message to a person without a grant. */
const toldGroupsMax = 50;

/** The fault of a known person without a grant. It contains the name and groups by which they are known. */
export function ungranted({ groups, name }: IssuedPerson): Fault {
  const more = groups.length > toldGroupsMax ? `, and ${groups.length - toldGroupsMax} more` : "";
  const told =
    groups.length === 0 ? "no groups" : `the groups ${groups.slice(0, toldGroupsMax).join(", ")}${more}`;
  const mend = "ask whoever keeps the access file for a grant to this name, or to one of the groups";
  return new Fault(
    "access.forbidden",
    `nothing is granted to you: you are known as ${name}, with ${told}; ${mend}`,
    { context: { mend } },
  );
}

/** The fault of a person whose name or groups cannot be used. */
export function refusedPerson(field: string, value: string, problem: string, mend: string): Fault {
  return new Fault("access.forbidden", `${field}: ${problem}; ${mend}`, {
    context: { field, value: value.slice(0, 253), mend },
  });
}
