import { closed, type Fields, leaf, text } from "./value.ts";

const oidc: Fields = {
  issuerUrl: text(
    "",
    "The issuer, as it calls itself. Empty: people sign in with tokens. Flag --oidc-issuer-url.",
    {
      pattern: "^(https://.+)?$",
    },
  ),
  clientId: text("", "Our client at the issuer. Flag --oidc-client-id."),
  existingSecret: text(
    "",
    "Secret in the release's namespace with the secret of our client. Flag --oidc-client-secret-file.",
  ),
  existingSecretKey: text("client-secret", "Key of it in that Secret."),
  redirectUrl: text(
    "",
    "Address of ours that the issuer sends people back to, where a proxy changes the header Host. Flag --oidc-redirect-url.",
  ),
  scopes: leaf(
    [],
    "array",
    "What the issuer is asked for beside openid; profile and email when empty. Flag --oidc-scopes.",
    {
      items: { type: "string" },
    },
  ),
  usernameClaim: text("email", "Claim that is somebody's name. Flag --oidc-username-claim."),
  groupsClaim: text("groups", "Claim with somebody's groups. Flag --oidc-groups-claim."),
  caSecret: text("", "Secret with the authorities of the issuer's certificate. Flag --oidc-ca-file."),
  caSecretKey: text("ca.crt", "Key of them in that Secret."),
};

const forwardAuth: Fields = {
  clientCaSecret: text(
    "",
    "Secret with the authorities of the proxy's certificate. It needs tlsSecret. Flag --forward-auth-client-ca-file.",
  ),
  clientCaSecretKey: text("ca.crt", "Key of them in that Secret."),
  proxyNames: leaf([], "array", "Names in the proxy's certificate. Flag --forward-auth-proxy-names.", {
    items: { type: "string" },
  }),
  userHeader: text(
    "X-Forwarded-Email",
    "Header in which the proxy says who asks. Flag --forward-auth-user-header.",
  ),
  groupsHeader: text(
    "X-Forwarded-Groups",
    "Header in which it says their groups. Flag --forward-auth-groups-header.",
  ),
};

/** Who may look and act, and how people sign in. */
export const accessValues: Fields = {
  existingSecret: text(
    "",
    "Secret in the release's namespace with the access file. Without it there is no login, and the dashboard of a hub answers at the loopback address of its pod. With it the page still answers there only, for a forwarded port, until dashboardAddress lets others in, for example :8080. Flag --access-file.",
  ),
  existingSecretKey: text("access.yaml", "Key of the file in that Secret."),
  tlsSecret: text(
    "",
    "Secret with the certificate of the page: tls.crt and tls.key. Without it put a proxy with TLS in front. Flags --dashboard-tls-cert-file and --dashboard-tls-key-file.",
  ),
  oidc: closed("Sign-in with an OpenID Connect issuer. It needs existingSecret.", oidc),
  forwardAuth: closed("A proxy that signs people in. It needs existingSecret.", forwardAuth),
};
