import type { CliCommand, OptionSpec, RegisteredCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { printDocument } from "../terminal/print.ts";

/** Words that can follow a command. */
interface CommandWords {
  /** Words of the command: `log verify`; empty for the program. */
  readonly line: string;
  /** Names of commands below it, with their summaries. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly { readonly flag: string; readonly description: string; readonly takesValue: boolean }[];
}

/** `veritest completion <shell>`: prints a script that completes commands and options. */
export const completionCommand = (commands: readonly RegisteredCommand[]): CliCommand => {
  const print =
    (render: (words: readonly CommandWords[]) => string) =>
    async (_input: unknown, io: CliIo): Promise<ExitCode> => {
      printDocument(io, `${render(await wordsOf(commands))}\n`);
      return EXIT.clean;
    };
  const examples = {
    bash: "veritest completion bash >> ~/.bashrc",
    zsh: "veritest completion zsh >> ~/.zshrc   # below compinit",
    fish: "veritest completion fish > ~/.config/fish/completions/veritest.fish",
  };
  return {
    examples: Object.values(examples),
    commands: [
      { name: "bash", summary: "print a script for Bash", examples: [examples.bash], run: print(bashScript) },
      { name: "zsh", summary: "print a script for Zsh", examples: [examples.zsh], run: print(zshScript) },
      { name: "fish", summary: "print a script for Fish", examples: [examples.fish], run: print(fishScript) },
    ],
  };
};

async function wordsOf(commands: readonly RegisteredCommand[]): Promise<readonly CommandWords[]> {
  const words: CommandWords[] = [{ line: "", commands, options: [] }];
  for (const { name, load } of commands) {
    const command = await load();
    words.push(wordsOfCommand(name, command));
    for (const sub of command.commands ?? []) words.push(wordsOfCommand(`${name} ${sub.name}`, sub));
  }
  return words;
}

function wordsOfCommand(line: string, { commands = [], options = [] }: CliCommand): CommandWords {
  return { line, commands, options: [...options.map(optionWords), HELP] };
}

const HELP = { flag: "--help", description: "print help", takesValue: false };

function optionWords({ flags, description }: OptionSpec): CommandWords["options"][number] {
  return { flag: /--[\w-]+/.exec(flags)?.[0] ?? flags, description, takesValue: flags.includes("<") };
}

/** Patterns of a `case` statement: each command with the words that can follow it. */
function shellCases(words: readonly CommandWords[]): string {
  return words
    .map(({ line, commands, options }) => {
      const all = [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)];
      return `    "${line}") words="${all.join(" ")}" ;;`;
    })
    .join("\n");
}

/** Lines that find the command of the typed words: its name, and the name below it if there is one. */
const COMMAND_LINE = (words: readonly CommandWords[]): string => {
  const parents = words.filter(({ line, commands }) => line !== "" && commands.length > 0).map(({ line }) => line);
  return `  case "$first" in
    ${parents.join("|")}) [[ -n "$second" && "$second" != -* ]] && line="$first $second" ;;
  esac
  case "$line" in
${shellCases(words)}
  esac`;
};

function bashScript(words: readonly CommandWords[]): string {
  return `_veritest() {
  local current="\${COMP_WORDS[COMP_CWORD]}" first="" second="" line="" words=""
  (( COMP_CWORD > 1 )) && first="\${COMP_WORDS[1]}" && line="$first"
  (( COMP_CWORD > 2 )) && second="\${COMP_WORDS[2]}"
${COMMAND_LINE(words)}
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -o default -F _veritest veritest`;
}

function zshScript(words: readonly CommandWords[]): string {
  return `#compdef veritest
_veritest() {
  local first="" second="" line="" words_typed=$CURRENT words_list=("\${words[@]}") words=""
  (( words_typed > 2 )) && first="\${words_list[2]}" && line="$first"
  (( words_typed > 3 )) && second="\${words_list[3]}"
${COMMAND_LINE(words)}
  compadd -- \${=words} || _files
}
compdef _veritest veritest`;
}

function fishScript(words: readonly CommandWords[]): string {
  return ["complete -c veritest -f", ...words.flatMap(fishLines)].join("\n");
}

function fishLines({ line, commands, options }: CommandWords): readonly string[] {
  const [first, second] = line.split(" ");
  const isTop = first === "" || first === undefined;
  const names = commands.map(({ name }) => name).join(" ");
  const below = second === undefined ? "" : `; and __fish_seen_subcommand_from ${second}`;
  const at = isTop ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${first}${below}`;
  const unlessBelow = isTop || names === "" ? at : `${at}; and not __fish_seen_subcommand_from ${names}`;
  return [
    ...commands.map(({ name, summary }) => `complete -c veritest -n '${unlessBelow}' -a ${name} -d ${quoted(summary)}`),
    ...options.map(
      ({ flag, description, takesValue }) =>
        `complete -c veritest -n '${unlessBelow}' -l ${flag.slice(2)} -d ${quoted(description)}` +
        (takesValue ? " -r -F" : ""),
    ),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
