import type { Command } from './command.ts'
import { completionRequest } from './complete.ts'
import { exitCodes, usageError } from './failure.ts'

const ask = `sluice ${completionRequest}`

/** The scripts call the program for each word, so they do not depend on its version. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_sluice() {
  local IFS=$'\\n'
  COMPREPLY=($(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _sluice sluice`,
  zsh: `#compdef sluice
_sluice() {
  local -a found
  found=("\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
compdef _sluice sluice`,
  fish: `function __sluice_complete
  set -l words (commandline -opc) (commandline -ct)
  ${ask} $words[2..] 2>/dev/null
end
complete -c sluice -a '(__sluice_complete)'`,
}

const shells = Object.keys(scripts)

export const completion: Command = {
  path: ['completion'],
  args: ['SHELL'],
  choices: shells,
  summary: 'Prints the script that completes the commands in bash, zsh or fish',
  details: `The program must be on the PATH as sluice. Load the script when the shell starts:
  bash  echo 'source <(sluice completion bash)' >> ~/.bashrc
  zsh   echo 'source <(sluice completion zsh)' >> ~/.zshrc      (after compinit)
  fish  sluice completion fish > ~/.config/fish/completions/sluice.fish`,
  async run({ out }, input) {
    const [shell = ''] = input.args
    const script = scripts[shell]
    if (script === undefined) throw usageError(`SHELL must be one of ${shells.join(', ')}`)
    await out.raw(`${script}\n`)
    return exitCodes.done
  },
}
