import { spawn } from 'node:child_process'
import { Socket } from 'node:net'

/** The script's input ends when the process that holds it open dies. */
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
 * Kills every process that names `folder` in its arguments and removes the folder, if this process dies
 * before `leave`. Repeats the kill, since a process may have started another process before it ended.
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
