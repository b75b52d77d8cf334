/** The product's version; the release sets it here and in package.json together. */
export const version = "0.1.0";

/** How we name ourselves to API servers. */
export const userAgent = `fleet-reloader/${version}`;
