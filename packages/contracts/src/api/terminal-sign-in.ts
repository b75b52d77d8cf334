/** Where a person who is signed in lets a terminal sign in: `POST` with `{"challenge": "…"}`. */
export const terminalSessionPath = "/api/v1/session/terminal";

/** The view of the page on which they do so, with `challenge` in its query. */
export const terminalPagePath = "/sign-in/terminal";

/** SHA-256 in base64url has 43 characters (RFC 7636, section 4.2). */
const challengePattern = /^[\w-]{43}$/;

/** Whether a text may be the challenge of a terminal. */
export function isTerminalChallenge(text: string): boolean {
  return challengePattern.test(text);
}

/** What terminal and page show of a challenge, for a person to compare: its first four bytes as hexadecimal digits. */
export function terminalCheckOf(challenge: string): string {
  const bytes = atob(challenge.slice(0, 8).replaceAll("-", "+").replaceAll("_", "/"));
  const digits = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4, 8)}`;
}
