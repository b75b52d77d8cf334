import { createHash } from "node:crypto";

/** A piece of software in the image. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; undefined where its manifest says none. */
  readonly license: string | undefined;
  readonly source: "npm" | "generic";
}

/** The bill of materials as SPDX 2.3 in JSON. It has no time of its own, and its name follows from its content. */
export function spdxDocument(version: string, components: readonly Component[]): string {
  const sorted = components.toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  const digest = createHash("sha256")
    .update(JSON.stringify([version, sorted]))
    .digest("hex");
  const packages = sorted.map(packageOf);
  const product = {
    SPDXID: "SPDXRef-fleet-reloader",
    name: "fleet-reloader",
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    licenseDeclared: "Apache-2.0",
    filesAnalyzed: false,
  };
  const contains = packages.map(({ SPDXID }) => ({
    spdxElementId: product.SPDXID,
    relationshipType: "CONTAINS",
    relatedSpdxElement: SPDXID,
  }));
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `fleet-reloader-${version}`,
    documentNamespace: `urn:fleet-reloader:${version}:${digest}`,
    creationInfo: { created: "1970-01-01T00:00:00Z", creators: ["Tool: fleet-reloader-image"] },
    documentDescribes: [product.SPDXID],
    packages: [product, ...packages],
    relationships: contains,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function packageOf({ license, name, source, version }: Component, at: number) {
  const purlName = source === "npm" ? name.replace(/^@/, "%40") : name;
  return {
    SPDXID: `SPDXRef-Package-${at + 1}`,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    licenseDeclared: license ?? "NOASSERTION",
    filesAnalyzed: false,
    externalRefs: [
      {
        referenceCategory: "PACKAGE-MANAGER",
        referenceType: "purl",
        referenceLocator: `pkg:${source}/${purlName}@${version}`,
      },
    ],
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
