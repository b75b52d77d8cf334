import * as z from "zod";
import { inGroup } from "../../field.ts";
import { csvList, textValue } from "../../types.ts";

function headerName(defaultName: string) {
  return z
    .string()
    .default(defaultName)
    .refine(
      (name) => /^[a-z][a-z0-9-]*$/i.test(name) && !/^(authorization|cookie|host|origin)$/i.test(name),
      `is no header that a proxy may say it in; write for example ${defaultName}`,
    )
    .transform((name) => name.toLowerCase());
}

/** Flags of a page behind a proxy that signs people in. */
export const forwardAuthFields = inGroup("Sign-in", {
  forwardAuthClientCaFile: {
    schema: textValue(""),
    meta: {
      flag: "forward-auth-client-ca-file",
      placeholder: "FILE",
      description:
        "Certificate authorities in PEM. A proxy that shows a certificate of one of them says in headers who asks. It needs --access-file, --dashboard-tls-cert-file and --forward-auth-proxy-names. From anybody else these headers count for nothing.",
      defaultText: "none: no header says who asks",
    },
  },
  forwardAuthProxyNames: {
    schema: csvList(),
    meta: {
      flag: "forward-auth-proxy-names",
      placeholder: "NAMES",
      description:
        "Names of the proxy: its certificate has one of them as common name or DNS name. An authority that signs nothing but the certificate of the proxy may be used with *.",
      defaultText: "none",
      isList: true,
    },
  },
  forwardAuthUserHeader: {
    schema: headerName("X-Forwarded-Email"),
    meta: {
      flag: "forward-auth-user-header",
      placeholder: "HEADER",
      description: "Header in which the proxy says who asks.",
    },
  },
  forwardAuthGroupsHeader: {
    schema: headerName("X-Forwarded-Groups"),
    meta: {
      flag: "forward-auth-groups-header",
      placeholder: "HEADER",
      description: "Header in which the proxy says their groups, with commas between them.",
    },
  },
});
