import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../run/run-command.ts'
import { repositoryRoot } from '../source/list-files.ts'

type Manifest = {
  readonly name: string
  readonly workspaces?: readonly string[]
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(repositoryRoot, folder, 'package.json'), 'utf8'))
const root = readManifest('.')
const ownFolders = ['contracts', 'packages/sdk', 'packages/cli', 'apps/cli']
/** Subcommands of npm itself, and programs without a check of their own. */
const npmCommands = ['ci', 'install', 'pack']
const plainPrograms = ['echo', 'export', 'jq']
const helps = new Map<string, Promise<string | undefined>>()

/** Returns the errors in a shell block's commands: unknown scripts, files, commands and options. */
export async function checkCommands(text: string): Promise<string[]> {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  const commands = lines.flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(/&&|\|\|?|;/))
  const reasons = await Promise.all(commands.map((command) => checkCommand(splitWords(command))))
  return reasons.filter((reason) => reason !== undefined)
}

async function checkCommand([program, ...args]: string[]): Promise<string | undefined> {
  if (program === undefined || plainPrograms.includes(program)) return undefined
  if (program === 'node') return args[0]?.startsWith('-') ? undefined : checkFile(args[0] ?? '')
  if (program === 'sluice') return checkCli(args, findBin())
  if (program === 'npx')
    return args[0] === 'sluice' ? checkCli(args.slice(1), findBin()) : checkPackage(args[0])
  if (program !== 'npm') return `“${program}” has no check: run it in a test, or give a reason`
  const words = args.filter((each, i) => !each.startsWith('-') && args[i - 1] !== '-w')
  const [command = '', script = ''] = words
  if (npmCommands.includes(command)) return undefined
  const workspace = args.includes('-w') ? args[args.indexOf('-w') + 1] : root.name
  const manifest = [root, ...ownFolders.map(readManifest)].find(({ name }) => name === workspace)
  const name = command === 'run' ? script : command
  const line = manifest?.scripts?.[name]
  if (line === undefined) return `${workspace} has no script “${name}”`
  const rest = args.includes('--') ? args.slice(args.indexOf('--') + 1) : []
  return name === 'cli' ? checkCli(rest, line.replace(/^node /, '')) : checkOptions(rest, line)
}

/** Checks that the command's help lists the options. */
async function checkCli(args: readonly string[], main: string): Promise<string | undefined> {
  const end = args.findIndex((word) => word.startsWith('-'))
  const words = (end < 0 ? args : args.slice(0, end)).slice(0, 2)
  const key = words.join(' ')
  const asked = helps.get(`${main} ${key}`) ?? askForHelp(main, words)
  helps.set(`${main} ${key}`, asked)
  const help = await asked
  if (help === undefined) return `the command line has no “${key}”`
  const missing = args.filter((word) => word.startsWith('--') && !help.includes(word.split('=')[0] ?? word))
  return missing.length > 0 ? `“${key}” has no option ${missing.join(', ')}` : undefined
}

async function askForHelp(main: string, words: readonly string[]): Promise<string | undefined> {
  const { exitCode, output } = await runCommand('node', [main, ...words, '--help'])
  return exitCode === 0 ? output : undefined
}

/** Returns the source of the program `sluice`: another check may be building the package. */
function findBin(): string {
  const folder = ownFolders.find((each) => readManifest(each).bin?.sluice) ?? '.'
  const bin = join(folder, readManifest(folder).bin?.sluice ?? 'missing')
  return bin.replace('/dist/', '/src/').replace(/\.js$/, '.ts')
}

/** Checks that the source of an npm script contains each option. */
function checkOptions(args: readonly string[], line: string): string | undefined {
  const file = line.split(' ').find((word) => /\.\w*[jt]s$/.test(word))
  const options = args.filter((word) => word.startsWith('--') && word !== '--help')
  if (options.length === 0 || file === undefined || !existsSync(join(repositoryRoot, file))) return undefined
  const source = readFileSync(join(repositoryRoot, file), 'utf8')
  const missing = options.filter((option) => !source.includes(option.slice(2)))
  return missing.length > 0 ? `${file} has no option ${missing.join(', ')}` : undefined
}

function checkFile(path: string): string | undefined {
  return existsSync(join(repositoryRoot, path)) ? undefined : `there is no file ${path}`
}

function checkPackage(name = ''): string | undefined {
  const lock = readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')
  return lock.includes(`node_modules/${name}"`) ? undefined : `${name} is not a package of this repository`
}

/** Splits a command into words, without quotes and without leading assignments. */
function splitWords(command: string): string[] {
  const words = command.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
  const start = words.findIndex((word) => !/^\w+=/.test(word))
  return start < 0 ? [] : words.slice(start).map((word) => word.replaceAll(/["']/g, ''))
}
