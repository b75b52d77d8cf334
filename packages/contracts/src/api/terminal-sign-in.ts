/** The route by which a signed-in person lets a terminal sign in: `POST` with `{"challenge": "…"}`. */
export const terminalSessionPath = "/api/v1/session/terminal";

/** The page's view for it, with `challenge` in its query. */
export const terminalPagePath = "/sign-in/terminal";

/** SHA-256 in base64url has 43 characters (RFC 7636, section 4.2). */
const challengePattern = /^[\w-]{43}$/;

/** Whether a text may be the challenge of a terminal. */
export function isTerminalChallenge(text: string): boolean {
  return challengePattern.test(text);
}

/** The text that terminal and page show for a person to compare: the first four bytes of the challenge as hexadecimal digits. */
export function terminalCheckOf(challenge: string): string {
  const bytes = atob(challenge.slice(0, 8).replaceAll("-", "+").replaceAll("_", "/"));
  const digits = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4, 8)}`;
}
