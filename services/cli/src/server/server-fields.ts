import { serverAddress, textValue } from "@fleet-reloader/runtime/config/types";

/** The variable with a token. It is no flag: everybody on a machine sees the flags of its processes. */
export const tokenVariable = "FLEET_RELOADER_TOKEN";

/** How a server of the fleet is asked in place of its Redis and its clusters. */
export const serverFields = {
  server: {
    schema: serverAddress(),
    meta: {
      flag: "server",
      env: "FLEET_RELOADER_SERVER",
      placeholder: "URL",
      // A password in an address is refused, and shown to nobody.
      isSecret: true,
      description:
        "Ask the dashboard at this address; Redis, kubeconfigs and settings are not needed and not looked at. https, or http on this machine.",
    },
  },
  tokenFile: {
    schema: textValue(""),
    meta: {
      flag: "token-file",
      env: "FLEET_RELOADER_TOKEN_FILE",
      placeholder: "FILE",
      description: `File with the token for --server. Without it, the variable ${tokenVariable}, or what fleet-reloader login keeps.`,
    },
  },
  serverCaFile: {
    schema: textValue(""),
    meta: {
      flag: "server-ca-file",
      env: "FLEET_RELOADER_SERVER_CA_FILE",
      placeholder: "FILE",
      description: "Certificates, as PEM, of those who may have signed that of --server.",
      defaultText: "those that Node trusts",
    },
  },
} as const;
