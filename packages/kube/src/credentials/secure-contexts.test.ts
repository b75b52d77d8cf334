import { inspect } from "node:util";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { describe, expect, it } from "vitest";
import type { Identity } from "./credentials.ts";
import { secureContextOf } from "./secure-contexts.ts";

const identityWith = (tls: Identity["tls"]) => ({
  headers: {},
  tls,
  tlsKey: JSON.stringify(tls),
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe("secureContextOf", () => {
  it("is one for all clusters that trust the same authority, whatever they are called", () => {
    const { certificatePem: ca } = createLoopbackCertificate();
    const one = secureContextOf(identityWith({ ca }));
    expect(secureContextOf(identityWith({ ca, servername: "api.example.org" }))).toBe(one);
  });

  it("is another for another authority: nobody is trusted for somebody else", () => {
    const [one, other] = [createLoopbackCertificate(), createLoopbackCertificate()];
    expect(secureContextOf(identityWith({ ca: one.certificatePem }))).not.toBe(
      secureContextOf(identityWith({ ca: other.certificatePem })),
    );
    expect(secureContextOf(identityWith({}))).not.toBe(
      secureContextOf(identityWith({ ca: one.certificatePem })),
    );
  });

  const [one, other] = [createLoopbackCertificate(), createLoopbackCertificate()];
  it.each([
    [
      "a certificate that is none",
      { cert: "canary", key: one.keyPem },
      "the client certificate is not a certificate; expected PEM",
    ],
    [
      "a key that is none",
      { cert: one.certificatePem, key: "canary" },
      "the client key is not a private key, or it has a passphrase; expected PEM",
    ],
    [
      "a key of another certificate",
      { cert: one.certificatePem, key: other.keyPem },
      "the client key does not belong to the client certificate",
    ],
  ])("names %s, without a word of it", (_what, tls, why) => {
    const refused = thrownBy(() => secureContextOf(identityWith(tls)));
    expect(refused).toMatchObject({
      code: "kube.unauthorized",
      message: `the credentials cannot be used: ${why}`,
    });
    expect(inspect(refused)).not.toContain("canary");
  });
});
