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

/** The alphabet of base64url in the order of its values (RFC 4648, section 5). */
const base64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** 48 bits are read of a challenge, and the first 32 of them shown. */
const readCharacters = 8;

/** What terminal and page show of a challenge, for a person to compare: eight hexadecimal digits. */
export function terminalCheckOf(challenge: string): string {
  let value = 0n;
  for (const character of challenge.slice(0, readCharacters))
    value = value * 64n + BigInt(Math.max(0, base64Url.indexOf(character)));
  const digits = value.toString(16).padStart(12, "0").toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4, 8)}`;
}
