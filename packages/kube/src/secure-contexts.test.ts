import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { describe, expect, it } from "vitest";
import { secureContextOf } from "./secure-contexts.ts";

const identityWith = (tls: { readonly ca?: string; readonly servername?: string }) => ({
  headers: {},
  tls,
  tlsKey: JSON.stringify(tls),
});

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
});
