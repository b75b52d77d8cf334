import { expect, test } from "vitest";
import { type AccessDocument, readAccessDocument } from "./access-document.ts";
import { makeToken, tokenDigest, writeTokenDigest } from "./token-digest.ts";

const token = makeToken();
const hash = writeTokenDigest(tokenDigest(token));
const other = writeTokenDigest(tokenDigest("other"));

function whyNot(document: AccessDocument): string {
  return document.type === "unreadable" ? document.why : "it was read";
}

/** A document with one person, whose entry or only grant has other fields. */
function withPerson(entry: object, grant: object = {}): string {
  const grants = [{ role: "viewer", clusters: "*", namespaces: ["shop"], ...grant }];
  return JSON.stringify({ people: [{ name: "ann", tokens: [hash], grants, ...entry }] });
}

test("people and machines have grants by cluster or label, and by namespace", () => {
  const read = readAccessDocument(`
people:
  - name: ann@example.org
    tokens: ["${hash}"]
    grants:
      - { role: operator, clusters: [nova, otech62], namespaces: "*" }
      - { role: viewer, clusterSelector: "env=prod", namespaces: [shop] }
machines:
  - name: ci
    tokens: ["${other}"]
    grants: [{ role: admin, clusters: "*", namespaces: "*" }]
`);
  expect(read).toEqual({
    type: "known",
    subjects: [
      {
        name: "ann@example.org",
        type: "person",
        digests: [tokenDigest(token)],
        grants: [
          { role: "operator", clusters: ["nova", "otech62"], namespaces: "all" },
          {
            role: "viewer",
            clusters: { requirements: [{ key: "env", operator: "in", values: ["prod"] }] },
            namespaces: ["shop"],
          },
        ],
      },
      {
        name: "ci",
        type: "machine",
        digests: [tokenDigest("other")],
        grants: [{ role: "admin", clusters: "all", namespaces: "all" }],
      },
    ],
  });
});

test("a person needs no token, and a group has grants", () => {
  const grants = [{ role: "viewer", clusters: "*", namespaces: "*" }];
  const group = "/platform, CN=ops";
  const read = readAccessDocument(
    JSON.stringify({ people: [{ name: "ann+ops@example.org", grants }], groups: [{ name: group, grants }] }),
  );
  const all = { digests: [], grants: [{ role: "viewer", clusters: "all", namespaces: "all" }] };
  expect(read).toEqual({
    type: "known",
    subjects: [
      { name: "ann+ops@example.org", type: "person", ...all },
      { name: group, type: "group", ...all },
    ],
  });
});

test("a group is there once, and has no tokens; a machine has some", () => {
  const grants = [{ role: "viewer", clusters: "*", namespaces: "*" }];
  const group = { name: "ops", grants };
  const why = (document: object) => whyNot(readAccessDocument(JSON.stringify(document)));
  expect(why({ groups: [group, group] })).toContain(`name: "ops" is there twice`);
  expect(why({ groups: [{ ...group, tokens: [hash] }] })).toContain(`groups[0]: "tokens" is not known`);
  expect(why({ groups: [{ name: "ops" }] })).toContain("groups[0].grants: must be a list");
  expect(why({ machines: [group] })).toContain("machines[0].tokens: must be a list");
  expect(why({ people: [group], groups: [group] })).toBe("it was read");
});

const refusals: readonly (readonly [string, string, string])[] = [
  ["a text that is neither", "people: [", "it is neither YAML nor JSON; write people:"],
  ["an empty file", "", "it is neither YAML nor JSON; write people:"],
  ["a list", "[]", "it is no map; write people:"],
  ["another field", `{"persons": []}`, `"persons" is not known; `],
  [
    "a misspelt field of an entry",
    withPerson({ token: hash }),
    `people[0]: "token" is not known; did you mean tokens?`,
  ],
  [
    "an unknown role",
    withPerson({}, { role: "vieweer" }),
    `people[0].grants[0].role: "vieweer" is no role; write viewer, operator, admin`,
  ],
  [
    "no namespaces",
    withPerson({}, { namespaces: undefined }),
    `people[0].grants[0].namespaces: must be "*" for all`,
  ],
  ["an empty list of namespaces", withPerson({}, { namespaces: [] }), "people[0].grants[0].namespaces: "],
  [
    "neither form of clusters",
    withPerson({}, { clusters: undefined }),
    "does not say which clusters; write either",
  ],
  [
    "both forms of clusters",
    withPerson({}, { clusterSelector: "a=b" }),
    "does not say which clusters; write either",
  ],
  [
    "a selector that is none",
    withPerson({}, { clusters: undefined, clusterSelector: "a==b==c" }),
    `"a==b==c" is no label selector`,
  ],
  ["no token", withPerson({ tokens: [] }), "people[0].tokens: is empty; write at least one hash"],
  ["a name with a line break", withPerson({ name: "ann\nbob" }), "is no name; write at most 64 letters"],
];

test.each(refusals)("%s is refused with field, value and mend", (_, text, problem) => {
  expect(whyNot(readAccessDocument(text))).toContain(problem);
});

test("a token in the place of its hash is refused, and is not quoted", () => {
  const why = whyNot(readAccessDocument(withPerson({ tokens: [token] })));
  expect(why).toContain("people[0].tokens[0]: is no hash of a token; write sha256:");
  expect(why).not.toContain(token);
});

test("a name or a token that is there twice is refused", () => {
  const grants = [{ role: "viewer", clusters: "*", namespaces: "*" }];
  const both = (name: string, tokens: readonly string[]) =>
    JSON.stringify({
      people: [{ name: "ann", tokens: [hash], grants }],
      machines: [{ name, tokens, grants }],
    });
  expect(whyNot(readAccessDocument(both("ann", [other])))).toContain(`name: "ann" is there twice`);
  expect(whyNot(readAccessDocument(both("ci", [hash.toUpperCase().replace("SHA", "sha")])))).toContain(
    "tokens: the same hash is there twice, of ann and ci",
  );
});
