import { makeToken, tokenDigest, writeTokenDigest } from "@fleet-reloader/runtime/access/token-digest";
import { defineCommand } from "../frame/command.ts";

export const accessTokenCommand = defineCommand({
  name: "access-token",
  purpose: "Make a token to sign in with, and its hash for an access file or a file of audit tokens",
  details: `Prints the token in the first line and the hash in the second. The token is not kept: give it to its owner, and put the hash into
the file of --access-file or --audit-token-file. How to use it is in docs/access.md.`,
  examples: ["fleet-reloader access-token"],
  flags: {},
  async run(_, { stdout }) {
    const token = makeToken();
    stdout.write(`token: ${token}\nhash:  ${writeTokenDigest(tokenDigest(token))}\n`);
    return 0;
  },
});
