import { inGroup } from "../../field.ts";
import { isLoopbackHost } from "../../loopback.ts";
import { csvList, type Problem, parsedText, textValue } from "../../types.ts";

/** An address that receives secrets: it needs TLS, or must be on this machine; undefined when none is given. */
function guardedAddress() {
  return parsedText("", (given): URL | undefined | Problem => {
    if (given === "") return undefined;
    const url = URL.parse(given);
    const isGuarded =
      url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
    if (url !== null && isGuarded && `${url.search}${url.hash}${url.username}` === "") return url;
    return {
      problem:
        "is no such address; write https://host/path, without a query (http only for this machine: http://127.0.0.1:5556)",
    };
  });
}

/** Flags of a page on which people sign in with OpenID Connect. */
export const oidcFields = inGroup("Sign-in", {
  oidcIssuerUrl: {
    schema: guardedAddress(),
    meta: {
      flag: "oidc-issuer-url",
      placeholder: "URL",
      description:
        "OpenID Connect issuer with which people sign in at the page, as it calls itself. It needs --access-file, --oidc-client-id and --oidc-client-secret-file. The issuer is asked when somebody signs in.",
      defaultText: "none: people sign in with tokens",
    },
  },
  oidcClientId: {
    schema: textValue(""),
    meta: {
      flag: "oidc-client-id",
      placeholder: "ID",
      description: "Our client at the issuer. ID tokens for another one are refused.",
      defaultText: "none",
    },
  },
  oidcClientSecretFile: {
    schema: textValue(""),
    meta: {
      flag: "oidc-client-secret-file",
      placeholder: "FILE",
      description:
        "File with the secret of our client, of at least 16 characters. It also seals the sessions, so all dashboards need the same, and another one ends them. It is read at the start.",
      defaultText: "none",
    },
  },
  oidcRedirectUrl: {
    schema: guardedAddress(),
    meta: {
      flag: "oidc-redirect-url",
      placeholder: "URL",
      description:
        "Address of ours that the issuer sends people back to, as the issuer knows it: https://HOST/sign-in/callback. Give it where a proxy changes the header Host.",
      defaultText: "/sign-in/callback of the host that the page was asked by",
    },
  },
  oidcScopes: {
    schema: csvList(),
    meta: {
      flag: "oidc-scopes",
      placeholder: "NAMES",
      description:
        "What the issuer is asked for, beside openid. Some send groups only when they are asked for the scope groups.",
      defaultText: "profile,email",
      isList: true,
    },
  },
  oidcUsernameClaim: {
    schema: textValue("email"),
    meta: {
      flag: "oidc-username-claim",
      placeholder: "CLAIM",
      description:
        "Claim of the ID token that is somebody's name. With email the issuer has to have verified the address (email_verified). Choose none that people can change themselves.",
    },
  },
  oidcGroupsClaim: {
    schema: textValue("groups"),
    meta: {
      flag: "oidc-groups-claim",
      placeholder: "CLAIM",
      description: "Claim of the ID token with the names of somebody's groups.",
    },
  },
  oidcCaFile: {
    schema: textValue(""),
    meta: {
      flag: "oidc-ca-file",
      placeholder: "FILE",
      description:
        "Authorities of the issuer's certificate, in PEM, in place of those that are known to all.",
      defaultText: "none: the authorities that Node knows",
    },
  },
});
