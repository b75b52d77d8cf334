import { commands } from "@fleet-reloader/cli/commands";
import type { Command } from "@fleet-reloader/cli/frame/command";
import { exitCodesOf, usageOf } from "@fleet-reloader/cli/frame/command-help";
import { defaultOf, flagNames } from "@fleet-reloader/runtime/config/help";

/** `docs/command-line.md`, from the table of commands. */
export function commandPage(made: string): string {
  const list = commands.map(({ name, purpose }) => `| [\`${name}\`](#${name}) | ${purpose} |`);
  return `# Command line

${made} \`fleet-reloader COMMAND --help\` prints the same.

| | |
|---|---|
| In a pod of ours | \`kubectl exec -n reloader deploy/reloader-reloader -- fleet-reloader freezes\` |
| From a laptop, by a dashboard | \`fleet-reloader status --server https://reloader.example.org\`: [by a server](#by-a-server) |
| From a checkout | \`./dev run freezes\` |
| As a plugin of kubectl | \`./dev bundle\`, then link \`services/cli/dist/kubectl-fleet_reloader\` into a folder on \`PATH\`: \`kubectl fleet-reloader freezes\`. It needs Node 24 |

A flag overrides its variable, and a variable overrides the default. In a container of ours a command has the settings of the service that is the first
process there, whether the service has them by flags or by variables. Messages go to standard error, answers to standard output.

## By a server

With \`--server URL\`, or the variable \`FLEET_RELOADER_SERVER\`, a command asks the [API](api.md) of a dashboard or a standalone. It needs no Redis and no
kubeconfig, and looks at no setting: the server has them. Words, answers and exit codes are the same.

\`\`\`sh
fleet-reloader login --server https://reloader.example.org --browser   # signs in on the page; without --browser with a token
export FLEET_RELOADER_SERVER=https://reloader.example.org
fleet-reloader status
fleet-reloader retry Deployment/api --namespace shop --cluster nova --reason "incident 4711"
\`\`\`

- **Token.** \`--token-file\` goes before the variable \`FLEET_RELOADER_TOKEN\`, and that before what \`login\` keeps in
  \`~/.config/fleet-reloader/servers.json\`. That file is refused while others can read it. [The access file](access.md) says what the owner of a token
  may see and do; the history names them.
- **Address.** https, or http at an address of this machine, such as a forwarded port. A redirect is not followed. Give a private certificate authority by
  \`--server-ca-file\`.
- **Differences.** \`explain\` and \`plan\` ask the clusters of \`--cluster\`, or the only one. \`freezes\` lists what the workers obey, and not a document.
  \`freeze\` and \`unfreeze\` need a \`--reason\`. \`status -o json\` has at most the first 50 of each list. With no answer to an act the command says that it is
  not known whether it was done: look at the history.
- \`lint\`, \`audit-policy\`, \`access-token\` and \`completion\` work on this machine alone.

## Commands

| Command | What it does |
|---|---|
${list.join("\n")}

${commands.map(sectionOf).join("\n\n")}
`;
}

function sectionOf(command: Command): string {
  const { name, purpose, details, examples, flags } = command;
  const tables = Object.keys(flags).length === 0 ? [] : [tableOf(command)];
  const codes = exitCodesOf(command).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return [
    `## ${name}`,
    `${purpose}.${details === undefined ? "" : ` ${details.replaceAll("\n", " ")}`}`,
    `\`\`\`sh\n${examples.join("\n")}\n\`\`\``,
    `Usage: \`${usageOf(command)}\``,
    ...tables,
    `| Exit code | Meaning |\n|---|---|\n${codes.join("\n")}`,
  ].join("\n\n");
}

function tableOf({ flags }: Command): string {
  const rows = Object.values(flags).map(({ schema, meta }) => {
    const value = meta.isSwitch === true ? "" : ` ${meta.placeholder.replaceAll("|", "\\|")}`;
    const names = flagNames(meta).map((name) => `\`${name}${value}\``);
    const description = meta.description.replaceAll("|", "\\|");
    return `| ${names.join(", ")} | \`${meta.env}\` | ${defaultOf(schema, meta.defaultText)} | ${description} |`;
  });
  return `| Flag | Variable | Default | Meaning |\n|---|---|---|---|\n${rows.join("\n")}`;
}
