import { spawn } from 'node:child_process'
import { Socket } from 'node:net'

/** Its input ends with the process that holds it open: nothing is asked twice a second meanwhile. */
const script = `
while read -r _; do :; done
[ -d "$1" ] || exit 0
for round in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for process in /proc/[0-9]*; do
    [ "$process" = "/proc/$$" ] && continue
    grep -qaF -- "$1" "$process/cmdline" 2>/dev/null && kill -KILL "\${process#/proc/}" 2>/dev/null && found=1
  done
  [ "$found" ] || break
  sleep 0.2
done
rm -rf "$1"
`

/**
 * Ends every process that names `folder` in its arguments, and removes it, should this process die without
 * having done so itself, by kill -9 for example. Again and again, since one that is ended last may have started
 * another meanwhile.
 */
export function cleanUpAfterUs(folder: string): { leave(): void } {
  const shell = spawn('/bin/sh', ['-c', script, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  const { stdin } = shell
  if (stdin instanceof Socket) stdin.unref()
  return {
    /** The folder is gone: the shell and what it waits by go at once too. */
    leave() {
      if (shell.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return
      try {
        process.kill(-shell.pid, 'SIGKILL')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    },
  }
}
