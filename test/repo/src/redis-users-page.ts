import { type RedisRole, redisAclRules, redisRoles } from "@fleet-reloader/redis/access/redis-roles";

/** What each user is for. */
const redisRolePurposes: Readonly<Record<RedisRole, string>> = {
  watcher: "The watchers, and the command line in their pods.",
  worker: "The workers. They read and write no reference index, no ownership and no freeze news.",
  dashboard:
    "Readers: pages, and the questions of the command line. They write nothing but the sign-ins at the page.",
  operator:
    "The same, and the acts of people: `retry`, `replay` and `release`, on the command line or on the page. A dashboard on which people act needs it.",
  standalone: "A standalone: what a watcher, a worker and the pages do, and the acts of people.",
};

/** `docs/reference/redis-users.md`, from the rules of the roles. */
export function redisUsersPage(made: string): string {
  return `# Users of Redis

${made} Each line makes one user with the commands and keys of its role, for Redis 7.0 or newer and Valkey.
Run the lines that you need with \`redis-cli\`, on each node of a Redis Cluster, with a password of your own for each user; or put \`user NAME on …\`
with the same words into the ACL file. Then start each service with its user: \`--redis-url redis://watcher:PASSWORD@host:6379\`. When all run, switch
the default user off: \`ACL SETUSER default off\`; in an ACL file \`user default off ~* &* +@all\`, for Redis reads transactions back from its append-only
file with the rights of this user, and drops them without. \`ACL LOG\` stays empty: our tests run with these users and without the default one.

A command that is denied is logged once with user, command and key, is shown as a note at \`/ready\`, and is the fault
[\`redis.unsuitable\`](faults.md). After an upgrade run the lines again: a new version may need other commands.

To change a password without a loss, give the user the new one beside the old one (\`ACL SETUSER worker '>NEW'\`), restart its services with the new one,
then take the old one away (\`ACL SETUSER worker '<OLD'\`). For another certificate of Redis let the services trust both first (\`NODE_EXTRA_CA_CERTS\`; in the
chart \`fleetReloader.redis.caSecret\`), and restart them.

| User | For |
|---|---|
${redisRoles.map((role) => `| \`${role}\` | ${redisRolePurposes[role]} |`).join("\n")}

${redisRoles.map(lineOf).join("\n\n")}
`;
}

function lineOf(role: RedisRole): string {
  const words = ["reset", "on", ">PASSWORD", ...redisAclRules(role)].map(quoted);
  return `## ${role}

\`\`\`sh
redis-cli ACL SETUSER ${role} ${words.join(" ")}
\`\`\``;
}

/** What a shell would take for something of its own. */
function quoted(word: string): string {
  return /^[-+@a-z_]+$/.test(word) ? word : `'${word}'`;
}
