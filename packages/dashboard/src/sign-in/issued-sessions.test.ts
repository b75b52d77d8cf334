import { expect, test } from "vitest";
import { claimsOf, issuedDocument, startIssuedWorld, subjectsIn } from "../fixture/issued-world.ts";

const hourMs = 3_600_000;

test("a group of the issuer lets its members in as long as the file has it", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("bob@example.org", "dev", "ops");
  const { session } = await signs.signIn();
  expect(await signs.askAs(session)).toBe(200);
  signs.world.replace(subjectsIn({ people: issuedDocument.people }));
  expect(await signs.askAs(session)).toBe(401);
  // The session does not come back with the line.
  signs.world.replace(subjectsIn(issuedDocument));
  expect(await signs.askAs(session)).toBe(401);
});

test("a session of the issuer ends after 8 hours, whatever Redis says", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("ann@example.org");
  const { session } = await signs.signIn();
  await signs.clock.advance(8 * hourMs - 1);
  expect(await signs.askAs(session)).toBe(200);
  await signs.clock.advance(1);
  expect(await signs.askAs(session)).toBe(401);
});

test("whoever writes into Redis makes, changes and moves no session", async () => {
  await using signs = await startIssuedWorld();
  const { held } = signs.world.sessions;
  signs.issuer.next = claimsOf("ann@example.org");
  await signs.signIn();
  signs.issuer.next = claimsOf("eve@example.org", "ops");
  const eves = await signs.signIn();
  const [anns = ["", undefined], own = ["", undefined]] = [...held];
  const [[, ann], [id, eve]] = [anns, own];
  if (ann === undefined || eve === undefined) throw new Error("two people are not signed in");
  expect(await signs.askAs(eves.session)).toBe(200);
  const forged = [
    ann,
    { name: ann.name, proof: eve.proof },
    { name: eve.name, proof: ann.proof },
    { name: "eve@example.org", proof: JSON.stringify({ groups: ["ops"], endMs: Number.MAX_SAFE_INTEGER }) },
    {
      name: "eve@example.org",
      proof: signs
        .sealOf("session", "a guess")
        .seal('{"groups":["ops"],"endMs":9e15}', JSON.stringify([id, "eve@example.org"])),
    },
    { name: "eve@example.org", proof: "" },
  ];
  for (const record of forged) {
    held.set(id, { endMs: Number.MAX_SAFE_INTEGER, ...record });
    expect(await signs.askAs(eves.session)).toBe(401);
  }
  held.set(id, eve);
  expect(await signs.askAs(eves.session)).toBe(200);
});

test("a cookie that is stolen is worth nothing without its session in Redis", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("ann@example.org");
  const { session } = await signs.signIn();
  signs.world.sessions.held.clear();
  expect(await signs.askAs(session)).toBe(401);
});
