import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../run/run-command.ts'

/** The version that is measured beside us; nothing of it is part of Sluice. */
export const vendureVersion = '3.7.3'

/**
 * Installs Vendure from npm into a folder of its own and starts its shop as production would run it.
 *
 * @param databaseUrl - An empty database.
 * @throws where it does not install or start, with what it wrote.
 */
export async function startVendure(databaseUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'vendure-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    writeFileSync(join(folder, 'package.json'), '{"private": true}')
    const packages = [`@vendure/core@${vendureVersion}`, 'pg']
    const { exitCode, output } = await runCommand(
      'npm',
      ['install', '--no-audit', '--no-fund', ...packages],
      {
        cwd: folder,
      },
    )
    if (exitCode !== 0) throw new Error(`Vendure does not install here:\n${output}`)
    const program = fileURLToPath(new URL('vendure-shop.cjs', import.meta.url))
    const child = spawn(process.execPath, [program, folder, databaseUrl], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    const port = await Promise.race([readPort(child.stdout), ended.then(() => undefined)])
    if (port === undefined) throw new Error('Vendure ended before it was ready')
    const stop = async () => {
      child.kill('SIGKILL')
      await ended
      remove()
    }
    return { url: `http://127.0.0.1:${port}`, stop }
  } catch (error) {
    remove()
    throw error
  }
}

async function readPort(output: NodeJS.ReadableStream): Promise<number | undefined> {
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('{"port"')) return JSON.parse(line).port
  }
  return undefined
}
