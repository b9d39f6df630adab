import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { Program } from './command.ts'
import { commands } from './commands.ts'
import { runCli } from './run-cli.ts'

const program: Program = { name: 'sluice', version: '1.2.3', commands }
const empty = mkdtempSync(join(tmpdir(), 'sluice-cli-'))
afterAll(() => rmSync(empty, { recursive: true }))

async function run(args: readonly string[], options: { env?: Record<string, string>; isTTY?: boolean } = {}) {
  const said = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: options.isTTY ?? false,
    write(text: string, done?: () => void) {
      said[name] += text
      done?.()
    },
  })
  const code = await runCli(program, args, {
    env: { DATA_DIR: empty, ...options.env },
    signal: new AbortController().signal,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    readStdin: async () => '',
    ask: async () => undefined,
  })
  return { code, ...said }
}

async function answering(body: unknown): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const product = (name: string) => ({ sku: 'a', name, priceUsd: 1, stockQty: -1, status: 'active' })

test.each([
  [[], 'Specify a command'],
  [['recipe'], "Unknown command 'recipe'"],
  [['receipt'], 'Available: receipt create, receipt get'],
  [['receipt', 'crate'], "Unknown command 'receipt crate'"],
  [['receipt', 'get'], 'ID is missing'],
  [['receipt', 'get', 'a', 'b'], "Unexpected argument 'b': too many for receipt get"],
  [['receipt', 'list', '--limt', '5'], "Unknown option '--limt'"],
  [['receipt', 'list', '--limt', '5'], "Did you mean '--limit'?"],
  [['receipts', 'list'], "Did you mean 'receipt'?"],
  [['receipt', 'crate'], "Did you mean 'receipt create'?"],
  [['trigger', 'insuficient-funds'], "Did you mean 'insufficient-funds'?"],
  [['receipt', 'xyz'], 'Available: receipt create'],
  [['completion', 'tcsh'], 'SHELL must be one of bash, zsh, fish'],
  [['receipt', 'list', '--limit', '0'], 'from 1 to 200'],
  [['receipt', 'list', '--limit', '5x'], 'from 1 to 200'],
  [['receipt', 'create'], 'at least one --line'],
  [['receipt', 'create', '--line', 'Coffee'], 'LABEL=AMOUNT'],
  [['receipt', 'create', '--line', 'Coffee=3.505'], 'at most two decimals'],
  [['receipt', 'create', '--line', 'Coffee=3', '--metadata', '[]'], '--metadata must be a JSON object'],
  [['receipt', 'create', '--body', '/not/there'], 'cannot be read'],
  [['receipt', 'watch', 'a', '--until', 'payed'], '--until must be one of'],
  [['order', 'create', '--jurisdiction', 'US-CA'], 'at least one --item'],
  [['order', 'create', '--item', 'a=0', '--jurisdiction', 'US-CA'], 'SKU=QTY'],
  [['order', 'create', '--item', 'a'], '--jurisdiction is missing'],
  [['product', 'create', 'a', '--name', 'A'], '--price is missing'],
  [['receipt', 'list', '--url', 'nowhere', '--key', 'a'], 'baseUrl must be'],
  [['receipt', 'list'], 'No service found'],
  [['receipt', 'list', '--url', 'http://127.0.0.1:1'], 'No subscription key found'],
])('%j ends with 2, says what is wrong and writes nothing to stdout', async (args, text) => {
  const { code, stdout, stderr } = await run(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(text)
  const machine = await run([...args, '--json'])
  expect(JSON.parse(machine.stderr)).toMatchObject({ error: 'usage', message: expect.any(String) })
})

test('every command has a help that names its arguments and options, and its group names it', async () => {
  const program = await run(['--help'])
  for (const command of commands) {
    const help = await run([...command.path, '--help'])
    expect([help.code, help.stderr]).toEqual([0, ''])
    const usage = [...command.path, ...(command.args ?? [])].join(' ')
    expect(help.stdout).toContain(`Usage: sluice ${usage}`)
    for (const name of Object.keys(command.options ?? {})) expect(help.stdout).toContain(`--${name}`)
    const [group] = command.path
    if (command.path.length === 2) expect((await run([group, '--help'])).stdout).toContain(command.summary)
    expect(program.stdout).toContain(command.summary)
  }
})

test('--version prints the version, as JSON with --json', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
  expect(JSON.parse((await run(['--version', '--json'])).stdout)).toEqual({ version: '1.2.3' })
})

test('options of every command may stand before it', async () => {
  const url = await answering({ items: [product('Beans')], total: 1, nextCursor: null })
  const { stdout } = await run(['--url', url, '--key', 'a', '--json', 'product', 'list'])
  expect(JSON.parse(stdout).items).toHaveLength(1)
})

test('colours are for terminals, and not where NO_COLOR, a dumb terminal, --no-color or --json say no', async () => {
  const url = await answering({ items: [product('Beans')], total: 1, nextCursor: null })
  const list = ['product', 'list', '--url', url, '--key', 'a']
  const hasColor = async (args: string[], isTTY: boolean, env: Record<string, string> = {}) =>
    (await run(args, { isTTY, env })).stdout.includes('\u001b')
  expect(await hasColor(list, true)).toBe(true)
  expect(await hasColor(list, false)).toBe(false)
  expect(await hasColor(list, true, { NO_COLOR: '1' })).toBe(false)
  expect(await hasColor(list, true, { TERM: 'dumb' })).toBe(false)
  expect(await hasColor([...list, '--no-color'], true)).toBe(false)
  expect(await hasColor([...list, '--json'], true)).toBe(false)
})

test('what others wrote cannot steer the terminal', async () => {
  const items = [product('\u001b]0;gotcha\u0007\r\nBeans\u202e')]
  const url = await answering({ items, total: 1, nextCursor: null })
  const { stdout } = await run(['product', 'list', '--url', url, '--key', 'a'])
  expect(stdout).toContain('Beans')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters to find
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
})

test('an address that is no Sluice is said to be none', async () => {
  const { code, stderr } = await run(['receipt', 'list', '--url', await answering(null), '--key', 'a'])
  expect(code).toBe(1)
  expect(stderr).toContain('Is this the URL of a Sluice service?')
})
