import { type Command, defineCommand } from "./command.ts";

const shells = ["bash", "zsh", "fish"] as const;

/** Makes the command that prints the completion of the other commands and of itself. */
export function createCompletionCommand(others: readonly Command[]): Command {
  const completion: Command = defineCommand({
    name: "completion",
    purpose: "Print the completion of commands and flags for a shell",
    examples: [
      "source <(fleet-reloader completion bash)",
      "source <(fleet-reloader completion zsh)",
      "fleet-reloader completion fish > ~/.config/fish/completions/fleet-reloader.fish",
    ],
    arguments: { placeholder: "SHELL", mend: `write ${shells.join(", ")}`, min: 1, max: 1, choices: shells },
    flags: {},
    run: async ({ words: [shell = ""] }, { stdout }) => {
      stdout.write(completionFor(shell, [...others, completion]));
      return 0;
    },
  });
  return completion;
}

function completionFor(shell: string, commands: readonly Command[]): string {
  if (shell === "fish") return fishCompletion(commands);
  return shell === "zsh"
    ? `autoload -U +X bashcompinit && bashcompinit\n${bashCompletion(commands)}`
    : bashCompletion(commands);
}

/** The words that may follow a command, other than values. */
function wordsOf({ flags, arguments: taken }: Command): readonly string[] {
  const names = Object.values(flags).map(({ meta }) => `--${meta.flag}`);
  return [...(taken?.choices ?? []), ...names, "--help"];
}

function bashCompletion(commands: readonly Command[]): string {
  const cases = commands.map((command) => `    ${command.name}) words="${wordsOf(command).join(" ")}" ;;`);
  return `_fleet_reloader() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words="${commands.map(({ name }) => name).join(" ")}" ;;
    *) words="" ;;
  esac
  [ "$COMP_CWORD" -gt 1 ] || words="${[...commands.map(({ name }) => name), "help", "--help", "--version"].join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fleet_reloader fleet-reloader kubectl-fleet_reloader
`;
}

function fishCompletion(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, purpose, flags, arguments: taken }) => {
    const after = `complete -c fleet-reloader -n "__fish_seen_subcommand_from ${name}"`;
    const choices =
      taken?.choices === undefined ? [] : [`${after} -f -a ${fishText(taken.choices.join(" "))}`];
    const flagLines = Object.values(flags).map(({ meta }) => {
      const takesValue = meta.isSwitch === true ? "" : " -r";
      return `${after} -l ${meta.flag}${takesValue} -d ${fishText(meta.description)}`;
    });
    return [
      `complete -c fleet-reloader -f -n __fish_use_subcommand -a ${name} -d ${fishText(purpose)}`,
      ...choices,
      ...flagLines,
    ];
  });
  return `${lines.join("\n")}\n`;
}

function fishText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
