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
| In a pod of ours | \`kubectl exec deploy/reloader -- fleet-reloader freezes\` |
| From a checkout | \`./dev run freezes\` |
| As a plugin of kubectl | \`./dev bundle\`, then link \`services/cli/dist/kubectl-fleet_reloader\` into a folder on \`PATH\`: \`kubectl fleet-reloader freezes\`. It needs Node 24 |

A flag overrides its variable, and a variable overrides the default. Messages go to standard error, answers to standard output.

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
