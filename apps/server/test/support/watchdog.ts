import { spawn } from 'node:child_process'

const script = `
while kill -0 "$1" 2>/dev/null && kill -0 "$2" 2>/dev/null; do sleep 0.5; done
kill -0 "$1" 2>/dev/null && exit 0
kill -TERM "$2" 2>/dev/null; sleep 1; kill -KILL "$2" 2>/dev/null
[ -z "$3" ] || rm -rf "$3"
`

/**
 * Ends process `pid` and removes `folder` should this process die without having done so itself,
 * by kill -9 for example. The watching shell goes when either process does.
 */
export function cleanUpAfterUs(pid: number, folder = ''): { release(): void } {
  const shell = spawn('/bin/sh', ['-c', script, 'sh', String(process.pid), String(pid), folder], {
    detached: true,
    stdio: 'ignore',
  })
  shell.unref()
  return {
    release() {
      if (shell.pid === undefined) return
      try {
        process.kill(-shell.pid, 'SIGKILL')
      } catch {
        // It is gone already, which is what was wanted.
      }
    },
  }
}
