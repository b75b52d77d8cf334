import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Certificate {
  readonly keyPem: string;
  readonly certificatePem: string;
}

const DAY_MS = 24 * 3_600_000;

/**
 * A self-signed certificate for loopback, valid for a day: Node can use certificates but not make
 * them, and a key in the repository would set off every secret scanner. Hence this bit of DER. Whoever trusts two of them needs two names.
 */
export function createLoopbackCertificate(now: Date = new Date(), commonName = "sim-api"): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const name = sequence(
    element(SET, sequence(oid(COMMON_NAME), element(UTF8_STRING, Buffer.from(commonName)))),
  );
  const validity = sequence(time(new Date(now.getTime() - DAY_MS)), time(new Date(now.getTime() + DAY_MS)));
  const body = sequence(
    element(EXPLICIT_0, element(INTEGER, Buffer.from([2]))),
    element(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    element(EXPLICIT_3, sequence(alternativeNames(), authority())),
  );
  const signature = element(BIT_STRING, Buffer.from([0]), sign("sha256", body, privateKey));
  const der = sequence(body, algorithm, signature);
  return {
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificatePem: `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----\n`,
  };
}

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const EXPLICIT_0 = 0xa0;
const EXPLICIT_3 = 0xa3;

/** Object identifiers, already encoded. */
const ECDSA_WITH_SHA256 = "2a8648ce3d040302";
const COMMON_NAME = "550403";
const SUBJECT_ALTERNATIVE_NAME = "551d11";
const BASIC_CONSTRAINTS = "551d13";

function alternativeNames(): Buffer {
  const names = sequence(
    element(DNS_NAME, Buffer.from("localhost")),
    element(IP_ADDRESS, Buffer.from([127, 0, 0, 1])),
  );
  return sequence(oid(SUBJECT_ALTERNATIVE_NAME), element(OCTET_STRING, names));
}

/** The certificate is its own authority: clients get it as such. */
function authority(): Buffer {
  const isAuthority = element(BOOLEAN, Buffer.from([0xff]));
  return sequence(oid(BASIC_CONSTRAINTS), isAuthority, element(OCTET_STRING, sequence(isAuthority)));
}

function oid(encoded: string): Buffer {
  return element(OBJECT_IDENTIFIER, Buffer.from(encoded, "hex"));
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, "").slice(2, 14);
  return element(UTC_TIME, Buffer.from(`${digits}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(SEQUENCE, ...parts);
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const size =
    content.length < 256 ? [0x81, content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
