import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Log, makeLog } from './log.ts'
import type { Config } from './settings/config.ts'

export type ServiceLog = {
  readonly log: Log
  readonly path: string | undefined
}

const names: Readonly<Record<number, string>> = { 40: 'Warning', 50: 'Error', 60: 'Fatal' }

/**
 * Opens the service's log: JSON lines on standard output.
 *
 * If the output is a terminal, the lines go to a file in the data folder, and the terminal shows warnings and
 * errors as sentences.
 */
export function openServiceLog(
  { logLevel, dataDir }: Pick<Config, 'logLevel' | 'dataDir'>,
  terminal: { readonly isTTY?: boolean; write(text: string): unknown },
): ServiceLog {
  if (!terminal.isTTY)
    return { log: makeLog(logLevel, pino.destination({ fd: 1, sync: false })), path: undefined }
  const file = openLogFile(dataDir)
  const write = (line: string) => {
    file.write(line)
    const text = sentenceOf(line)
    if (text !== undefined) terminal.write(text)
  }
  return { log: makeLog(logLevel, { write }), path: file.path }
}

function sentenceOf(line: string): string | undefined {
  const { level, msg, err } = JSON.parse(line) as { level: number; msg?: string; err?: { message?: string } }
  const name = names[level]
  if (name === undefined) return undefined
  return `  ${name}: ${[msg, err?.message].filter(Boolean).join(': ')}\n`
}

/** Above this size, the file replaces `sluice.log.1`, so two files take at most twice this size. */
const maxLogBytes = 16 * 1024 * 1024

const maxWaitingBytes = 1024 * 1024

export function openLogFile(
  dataDir: string,
  maxBytes: number = maxLogBytes,
): { readonly path: string; write(line: string): void } {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'sluice.log')
  const file = pino.destination({ dest: path, sync: true, mode: 0o600, maxLength: maxWaitingBytes })
  // On a full disk, lines wait for room and the service continues.
  file.on('error', () => {})
  let size = statSync(path).size
  return {
    path,
    write(line) {
      if (size + line.length > maxBytes) {
        renameSync(path, `${path}.1`)
        file.reopen(path)
        size = 0
      }
      file.write(line)
      size += Buffer.byteLength(line)
    },
  }
}
