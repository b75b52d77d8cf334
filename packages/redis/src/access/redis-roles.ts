import { KeyPatterns } from "./key-patterns.ts";
import { type RedisGrant, redisGrants } from "./redis-grants.ts";

/** A user of Redis for each kind of process, and two for people. */
export const redisRoles = ["watcher", "worker", "dashboard", "operator", "standalone"] as const;
export type RedisRole = (typeof redisRoles)[number];

type GrantName = keyof ReturnType<typeof redisGrants>;

const always: readonly GrantName[] = ["connecting", "clock"];
const questions: readonly GrantName[] = ["asking", "queueReading", "historyReading", "board"];
const acts: readonly GrantName[] = ["queueAdding", "historyWriting", "breakerClosing"];
const services: readonly GrantName[] = ["layout", "serving", "historyWriting", "queueReading", "queueAdding"];
const watches: readonly GrantName[] = [
  "index",
  "hints",
  "ownership",
  "clusterReports",
  "freezeNews",
  "goneClusters",
  "holdEnding",
];
const works: readonly GrantName[] = ["markKey", "queueTaking", "records", "ledger"];

const grantsOf: Readonly<Record<RedisRole, readonly GrantName[]>> = {
  watcher: [...always, ...services, ...watches, ...questions, ...acts],
  worker: [...always, ...services, ...works],
  dashboard: [...always, ...questions, "sessions"],
  operator: [...always, ...questions, ...acts, "sessions"],
  standalone: [...always, ...services, ...watches, ...works, ...questions, ...acts, "sessions"],
};

/**
 * The rules of a role in the syntax of `ACL SETUSER`, for Redis 7.0 and newer and Valkey: no channels, only these commands and these keys.
 * `prefix` is that of `Keys`. A grant that is apart becomes a selector.
 */
export function redisAclRules(role: RedisRole, prefix = "fleet-reloader"): readonly string[] {
  const keys = new KeyPatterns(prefix);
  const grants = redisGrants(keys);
  const all = grantsOf[role].map((name): RedisGrant => grants[name]);
  const its = all.filter(({ isApart }) => isApart !== true);
  const writes = new Set(its.flatMap((grant) => grant.writes ?? []));
  const read = new Set(its.flatMap((grant) => grant.reads ?? []));
  const reads = read.has(keys.all) ? [keys.all] : [...read].filter((pattern) => !writes.has(pattern));
  return [
    ...["resetchannels", "-@all"],
    ...[...new Set(its.flatMap(({ commands }) => commands))].toSorted().map((command) => `+${command}`),
    ...reads.toSorted().map((pattern) => `%R~${pattern}`),
    ...[...writes].toSorted().map((pattern) => `~${pattern}`),
    ...all.filter((grant) => !its.includes(grant)).map(aclSelectorOf),
  ];
}

function aclSelectorOf({ commands, writes = [] }: RedisGrant): string {
  return `(${[...commands.map((command) => `+${command}`), ...writes.map((pattern) => `~${pattern}`)].join(" ")})`;
}
